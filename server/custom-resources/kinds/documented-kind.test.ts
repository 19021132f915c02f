import assert from 'node:assert/strict';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import { MEMBERS as WORDS } from '../../api/documented-members.ts';
import { documentedKind } from './documented-kind.ts';

const NAMED = { group: 'example.com', version: 'v1', kind: 'Widget' };
const MEMBERS = {
  apiVersion: { type: 'string', description: WORDS.apiVersion },
  kind: { type: 'string', description: WORDS.kind },
  metadata: { $ref: 'meta.v1.ObjectMeta', description: WORDS.metadata },
};
const KEEPS = { 'x-orch-preserve-unknown-fields': true };

describe('OpenAPI documents of custom kinds', () => {
  const documented = (schema: JSONSchemaProps | undefined, prefix = 'x-orch-') =>
    documentedKind(NAMED, prefix, {
      read: () => cloneJson(schema),
      hash: () => JSON.stringify(schema) ?? '',
      selectableFields: () => [],
      isLarge: () => true,
    });
  const published = async (schema: JSONSchemaProps | undefined, form: 'v2' | 'v3'): Promise<JsonObject> => {
    const { 'x-orch-group-version-kind': kinds, ...rest } = await documented(schema).schema(form, ($ref) => ({ $ref }));
    assert.deepEqual(kinds, [NAMED]);
    return rest;
  };
  const ofField = async (field: JSONSchemaProps, form: 'v2' | 'v3'): Promise<unknown> => {
    const schema = await published({ type: 'object', properties: { field } }, form);
    return (schema.properties as JsonObject).field;
  };

  it('are named after the reversed group', () => {
    assert.equal(documented(undefined).name, 'com.example.v1.Widget');
  });

  it('contain apiVersion, kind and metadata of every object', async () => {
    assert.deepEqual(await published({ type: 'object' }, 'v2'), { type: 'object', properties: MEMBERS });
  });

  it('contain no fields in v2 for objects that preserve unknown fields', async () => {
    assert.deepEqual(await published({ type: 'object', ...KEEPS }, 'v2'), { type: 'object' });
    assert.deepEqual(await published({ type: 'object', ...KEEPS }, 'v3'), {
      type: 'object',
      ...KEEPS,
      properties: MEMBERS,
    });
  });

  const string = { type: 'string' };
  const fields: [string, JSONSchemaProps, unknown, unknown][] = [
    ['a default', { ...string, default: 'x' }, string, { ...string, default: 'x' }],
    [
      'null',
      { ...string, nullable: true, minLength: 1 },
      { minLength: 1 },
      { ...string, nullable: true, minLength: 1 },
    ],
    ['alternatives', { ...string, anyOf: [{ minLength: 1 }] }, string, { ...string, anyOf: [{ minLength: 1 }] }],
    ['an example', { ...string, example: 'x' }, string, string],
    ['unknown fields', { type: 'object', ...KEEPS }, KEEPS, { type: 'object', ...KEEPS }],
    [
      'items',
      { type: 'array', items: { ...string, default: '' } },
      { type: 'array', items: string },
      { type: 'array', items: { ...string, default: '' } },
    ],
    [
      'an embedded object',
      { type: 'object', 'x-orch-embedded-resource': true },
      { type: 'object', 'x-orch-embedded-resource': true, properties: MEMBERS, required: ['kind', 'apiVersion'] },
      { type: 'object', 'x-orch-embedded-resource': true, properties: MEMBERS, required: ['kind', 'apiVersion'] },
    ],
    [
      'required members, except nullable ones in v2',
      {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { ...string, nullable: true }, b: string },
      },
      { type: 'object', required: ['b'], properties: { a: {}, b: string } },
      { type: 'object', required: ['a', 'b'], properties: { a: { ...string, nullable: true }, b: string } },
    ],
    [
      'required members of a nullable object',
      { type: 'object', nullable: true, required: ['a'], properties: { a: { ...string, nullable: true } } },
      { required: ['a'] },
      { type: 'object', nullable: true, required: ['a'], properties: { a: { ...string, nullable: true } } },
    ],
    [
      'a map with nullable values',
      { type: 'object', additionalProperties: { ...string, nullable: true } },
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: { ...string, nullable: true } },
    ],
    [
      'a string that preserves unknown fields',
      { ...string, ...KEEPS },
      { ...string, ...KEEPS },
      { ...string, ...KEEPS },
    ],
    [
      'an int-or-string',
      { 'x-orch-int-or-string': true },
      { 'x-orch-int-or-string': true },
      { 'x-orch-int-or-string': true, anyOf: [{ type: 'integer' }, string] },
    ],
    [
      'an int-or-string with its own anyOf in allOf',
      { 'x-orch-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, string] }, { pattern: 'x' }] },
      { 'x-orch-int-or-string': true },
      { 'x-orch-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, string] }, { pattern: 'x' }] },
    ],
    [
      'an int-or-string with another anyOf',
      { 'x-orch-int-or-string': true, anyOf: [{ pattern: 'x' }] },
      { 'x-orch-int-or-string': true },
      {
        'x-orch-int-or-string': true,
        anyOf: [{ pattern: 'x' }],
        allOf: [{ anyOf: [{ type: 'integer' }, string] }],
      },
    ],
    [
      'a field named as a keyword',
      { type: 'object', properties: { default: string } },
      { type: 'object', properties: { default: string } },
      { type: 'object', properties: { default: string } },
    ],
  ];
  for (const [what, schema, v2, v3] of fields) {
    it(`describe ${what}`, async () => {
      assert.deepEqual(await ofField(schema, 'v2'), v2);
      assert.deepEqual(await ofField(schema, 'v3'), v3);
    });
  }

  it('have the same descriptions of standard fields in v2 and v3', async () => {
    for (const form of ['v2', 'v3'] as const) {
      const { apiVersion, kind } = (await published({ type: 'object' }, form)).properties as Record<string, JsonObject>;
      assert.match(String(apiVersion!.description), /^APIVersion defines /);
      assert.match(String(kind!.description), /^Kind is /);
    }
  });

  it('have a hash that depends on the schema and on the naming', () => {
    const one = documented({ type: 'object' }).hash;
    assert.equal(documented({ type: 'object' }).hash, one);
    assert.notEqual(documented({ type: 'object', title: 'x' }).hash, one);
    assert.notEqual(documented({ type: 'object' }, 'x-other-').hash, one);
  });
});
