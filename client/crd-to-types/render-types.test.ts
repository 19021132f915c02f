import assert from 'node:assert/strict';
import { DefinitionError, definitionsIn } from './definition.ts';
import { renderTypes } from './render-types.ts';

const definition = (schema: object | undefined, spec: object = {}) => ({
  apiVersion: 'apiextensions.orch.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gizmos.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Gizmo', plural: 'gizmos' },
    versions: [{ name: 'v1', served: true, storage: true, ...(schema && { schema: { openAPIV3Schema: schema } }) }],
    ...spec,
  },
});
const rendered = (schema: object) => renderTypes(definitionsIn(definition(schema), 'test'), '@orch/client');

/** How the field `a` of an object is declared. */
function declared(schema: object): string | undefined {
  return /^ {2}a\?: (.*);$/m.exec(rendered({ type: 'object', properties: { a: schema } }))?.[1];
}

describe('TypeScript types of custom resource definitions', () => {
  const fields: readonly [schema: object, type: string][] = [
    [{ type: 'string' }, 'string'],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'array', items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: { type: 'string', nullable: true } }, 'Array<string | null>'],
    [{ type: 'array' }, 'unknown[]'],
    [{ type: 'string', enum: ['a', "b'\n", 'a'] }, `'a' | "b'\\n"`],
    [{ type: 'integer', enum: [1, null], nullable: true }, '1 | null'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, 'Record<string, number>'],
    [{ type: 'object', properties: { b: { type: 'string' } } }, 'GizmoV1A'],
    [{ type: 'object', 'x-orch-embedded-resource': true, properties: { b: {} } }, 'ApiObject'],
    [{ 'x-orch-int-or-string': true }, 'number | string'],
    [{ 'x-kubernetes-int-or-string': true }, 'number | string'],
    [{ 'x-orch-preserve-unknown-fields': true }, 'unknown'],
    [{}, 'unknown'],
  ];
  for (const [schema, type] of fields)
    it(`${JSON.stringify(schema)} is ${type}`, () => assert.equal(declared(schema), type));

  it('have interfaces with descriptions and a resource type for the client', () => {
    const size = { type: 'integer', description: 'How large it is.' };
    const spec = {
      type: 'object',
      required: ['size'],
      properties: { size, 'max-age': { type: 'string' } },
      'x-orch-preserve-unknown-fields': true,
    };
    const metadata = { type: 'object' };
    assert.equal(
      rendered({ type: 'object', description: 'A\ngizmo.', required: ['spec'], properties: { metadata, spec } }),
      `// Made by crd-to-types from gizmos.example.com.
import type { ApiObject, ResourceType } from '@orch/client';

/**
 * A
 * gizmo.
 */
export interface GizmoV1 extends ApiObject {
  spec: GizmoV1Spec;
}

export interface GizmoV1Spec {
  'max-age'?: string;
  /** How large it is. */
  size: number;
  [field: string]: unknown;
}

/** gizmos.example.com in version v1. */
export const gizmosV1: ResourceType<GizmoV1> = {
  group: 'example.com',
  version: 'v1',
  plural: 'gizmos',
  kind: 'Gizmo',
  namespaced: true,
};
`,
    );
  });

  it('get different names if two interfaces would have the same name', () => {
    const inner = { type: 'object', properties: { x: { type: 'string' } } };
    const text = rendered({ type: 'object', properties: { aB: inner, 'a-b': inner } });
    assert.match(text, /'a-b'\?: GizmoV1AB;/);
    assert.match(text, /aB\?: GizmoV1AB_2;/);
  });

  it('never contain text of a definition as code', () => {
    const evil = '*/ process.exit(1); /*`$`\'"\u2028process.exit(1)';
    const text = rendered({
      type: 'object',
      description: evil,
      properties: { [evil]: { type: 'string', enum: [evil], description: evil } },
    });
    const literals = text.replaceAll(/(["'])(?:(?!\1)[^\\\n]|\\.)*\1/g, '').replaceAll(/\/\*.*?\*\//gs, '');
    assert.match(text, /process\.exit/);
    assert.ok(!literals.includes('process.exit'), literals);
  });

  it('are made for each served version, and for definitions in a list', () => {
    const versions = [{ name: 'v1' }, { name: 'v1beta1', served: false }, { name: 'v2', served: true }];
    const list = { kind: 'List', items: [definition(undefined, { versions }), { kind: 'ConfigMap' }] };
    assert.deepEqual(
      definitionsIn(list, 'test')[0]?.versions.map(({ name }) => name),
      ['v1', 'v2'],
    );
    assert.deepEqual(definitionsIn('text', 'test'), []);
  });

  const mistakes: readonly [what: string, document: object, message: RegExp][] = [
    [
      'a definition of an old version',
      { ...definition({}), apiVersion: 'apiextensions.orch.io/v1beta1' },
      /test: .*convert it to v1/,
    ],
    [
      'a kind that is not a valid name',
      definition({}, { names: { kind: 'A{}', plural: 'as' } }),
      /"gizmos.example.com".*kind/,
    ],
    ['a definition without versions', definition({}, { versions: [] }), /spec\.versions/],
    ['a definition without a group', definition({}, { group: '' }), /spec\.group/],
    ['a definition without a spec', { ...definition({}), spec: 'none' }, /no usable spec/],
  ];
  for (const [what, document, message] of mistakes)
    it(`are refused: ${what}`, () =>
      assert.throws(
        () => definitionsIn(document, 'test'),
        (error: Error) => error instanceof DefinitionError && message.test(error.message),
      ));
});
