import assert from 'node:assert/strict';
import { yamlLanguage } from '@codemirror/lang-yaml';
import type { Schema } from '#client/open-api/schemas.ts';
import { FieldSchemas } from './field-schema.ts';
import { findingsIn } from './yaml-checks.ts';

const root: Schema = {
  type: 'object',
  description: 'All of it.',
  properties: {
    kind: { type: 'string' },
    spec: { $ref: '#/components/schemas/Spec', description: 'What is wanted.' },
    labels: { type: 'object', description: 'What it is called by.', additionalProperties: { type: 'string' } },
    free: { type: 'object' },
    port: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
  },
};
const schemas = new FieldSchemas({
  root,
  definitions: {
    Spec: {
      type: 'object',
      required: ['replicas'],
      properties: {
        replicas: { type: 'integer', minimum: 0, maximum: 9, default: 1, description: 'How many.' },
        policy: { type: 'string', enum: ['Always', 'Never'] },
        on: { type: 'boolean' },
        items: { type: 'array', items: { $ref: '#/components/schemas/Spec' } },
      },
    },
  },
});

const cases: readonly [text: string, findings: readonly string[]][] = [
  ['kind: A\nspec:\n  replicas: 1\n  policy: Never\n  on: true', []],
  ['spec:\n  replicas: 1\n  none: 1', ['none: There is no field none here.']],
  ['spec:\n  replicas: many', ['many: replicas must be a whole number.']],
  ['spec:\n  replicas: 10', ['10: replicas must be at most 9.']],
  ['spec:\n  replicas: -1', ['-1: replicas must be at least 0.']],
  ['spec:\n  replicas: 1\n  policy: Maybe', ['Maybe: policy must be one of Always, Never.']],
  ['spec:\n  replicas: 1\n  policy: "Never"', []],
  ['spec:\n  on: false', ['spec: spec needs replicas.']],
  ['spec: []', ['[]: spec must be an object.']],
  ['spec:\n  replicas: 1\n  items:\n  - replicas: 1\n  - replicas: x', ['x: replicas must be a whole number.']],
  ['spec:\n  replicas: 1\n  items:\n    replicas: 1', ['replicas: 1: items must be a list.']],
  ['labels:\n  a: 1\n  b: "1"', ['1: a must be a text: put it in quotes.']],
  ['labels:\n  a: x\n  a: y', ['a: a stands here twice.']],
  ['free:\n  a: [1, {b: c}]', []],
  ['port: 80', []],
  ['port: http', []],
  ['spec: null', []],
  ['spec:', []],
  ['', []],
];

describe('findingsIn an edited object', () => {
  for (const [text, findings] of cases)
    it(JSON.stringify(text), () => {
      const found = findingsIn(yamlLanguage.parser.parse(text), text, schemas);
      assert.deepEqual(
        found.map(({ from, to, message }) => `${text.slice(from, to)}: ${message}`),
        findings,
      );
    });

  it('reports YAML errors before it checks the schema', () => {
    const text = 'a: [1\nb: "';
    assert.ok(findingsIn(yamlLanguage.parser.parse(text), text, undefined).length > 0);
  });
});

describe('wordsOf a field', () => {
  it('returns the type, the description, the default and the bounds', () =>
    assert.deepEqual(schemas.wordsOf(['spec', 'items', 0, 'replicas']), {
      name: 'replicas',
      type: 'integer',
      isRequired: true,
      description: 'How many.',
      facts: [
        { name: 'Default', text: '1' },
        { name: 'At least', text: '0' },
        { name: 'At most', text: '9' },
      ],
    }));

  it('prefers the description of the field to the description of its type', () => {
    assert.equal(schemas.wordsOf(['spec'])?.description, 'What is wanted.');
    assert.equal(schemas.wordsOf([])?.description, 'All of it.');
    assert.equal(schemas.wordsOf(['spec', 'policy'])?.facts[0]?.text, 'Always, Never');
    assert.equal(schemas.wordsOf(['spec', 'constructor']), undefined);
    assert.equal(schemas.wordsOf(['labels', 'any'])?.type, 'string');
    assert.equal(schemas.wordsOf(['labels', 'any'])?.description, 'What it is called by.');
  });
});
