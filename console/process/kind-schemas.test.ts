import assert from 'node:assert/strict';
import { type Schema, Schemas } from '#client/open-api/schemas.ts';
import { rollsOut, withReferences } from './kind-schemas.ts';

const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties });
const to = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const template = object({ spec: object({ containers: { type: 'array' } }) });
const schemas = new Schemas({
  Template: template,
  Spec: object({ template: to('Template'), self: to('Spec') }),
  Other: {},
});

const kinds: readonly [what: string, root: Schema, rolls: boolean][] = [
  ['a template and a strategy', object({ spec: object({ template: to('Template'), strategy: {} }) }), true],
  ['a template and a strategy of updates', object({ spec: object({ template, updateStrategy: {} }) }), true],
  ['a template alone', object({ spec: object({ template: to('Template') }) }), false],
  ['a strategy alone', object({ spec: object({ strategy: {} }) }), false],
  ['a template of another type', object({ spec: object({ template: to('Other'), strategy: {} }) }), false],
  ['no fields', { type: 'object' }, false],
];

describe('schemas of a kind', () => {
  for (const [what, root, rolls] of kinds)
    it(`with ${what}: ${rolls ? 'can' : 'cannot'} be restarted`, () =>
      assert.equal(rollsOut({ schemas, root }), rolls));

  it('include each referenced definition once', () => {
    const { definitions } = withReferences({ schemas, root: object({ spec: to('Spec') }) });
    assert.deepEqual(Object.keys(definitions).sort(), ['Spec', 'Template']);
  });
});
