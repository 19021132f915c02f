import assert from 'node:assert/strict';
import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import { definedSteps, findField, structuralSteps } from './field-path.ts';
import { compiled } from './testing/schemas.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    s: { type: 'string' },
    'a-b': { type: 'string' },
    "it's": { type: 'string' },
    o: { type: 'object', properties: { x: { type: 'string' } } },
    m: { type: 'object', additionalProperties: { type: 'object', properties: { y: { type: 'integer' } } } },
    l: { type: 'array', items: { type: 'string' } },
  },
};

/** The target of a path, or its error. */
const PATHS: [path: string, found: string][] = [
  ['.s', 's: string'],
  ['.o.x', 'o.x: string'],
  ["['a-b']", 'a-b: string'],
  ["['it\\'s']", "it's: string"],
  [".o['x']", 'o.x: string'],
  ['.m.k', 'm[k]: object'],
  [".m['k.l'].y", 'm[k.l].y: integer'],
  ['s', 'expected [ or . but got: s'],
  ['.', 'unexpected end of JSON path'],
  ['.nosuch', 'does not refer to a valid field'],
  ['.s.x', 'does not refer to a valid field'],
  ['.constructor', 'does not refer to a valid field'],
  ['.l[0]', 'expected single quoted string but got 0'],
  [".l['0']", 'does not refer to a valid field'],
  ["['s", "expected single quoted string but got 's"],
  ["['s'", 'unexpected end of JSON path'],
  ["['s'.", 'expected ] but got .'],
  ["['\\x']", 'invalid string literal: invalid escape char \\x'],
  ['', 'does not refer to a valid field'],
];

describe('the path of a field in a schema', () => {
  for (const [path, expected] of PATHS)
    it(`${path} is ${expected}`, () => {
      const inDefinition = findField(path, SCHEMA as JSONSchemaProps, definedSteps);
      const found = findField(path, compiled(SCHEMA), structuralSteps);
      assert.equal(typeof found === 'string' ? found : `${found.path}: ${found.schema.types[0]}`, expected);
      assert.equal(
        typeof inDefinition === 'string' ? inDefinition : `${inDefinition.path}: ${inDefinition.schema.type}`,
        expected,
      );
    });

  it('cannot contain brackets if they are not allowed', () => {
    const found = findField(".o['x']", SCHEMA as JSONSchemaProps, definedSteps, false);
    assert.equal(found, 'array notation is not allowed');
  });
});
