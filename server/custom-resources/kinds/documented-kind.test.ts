import assert from 'node:assert/strict';
import type { JsonObject } from '../../json/json-value.ts';
import type { JSONSchemaProps } from '../../schema/generated/apiextensions.v1.ts';
import { documentedKind } from './documented-kind.ts';

const NAMED = { group: 'example.com', version: 'v1', kind: 'Widget' };
const MEMBERS = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { $ref: 'meta.v1.ObjectMeta' } };
const KEEPS = { 'x-orch-preserve-unknown-fields': true };

describe('documents of custom kinds', () => {
  const published = (schema: JSONSchemaProps | undefined, form: 'v2' | 'v3'): JsonObject => {
    const documented = documentedKind(NAMED, 'x-orch-', () => schema);
    const { 'x-orch-group-version-kind': kinds, ...rest } = documented.schema(form, ($ref) => ({ $ref }));
    assert.deepEqual(kinds, [NAMED]);
    return rest;
  };
  const ofField = (field: JSONSchemaProps, form: 'v2' | 'v3'): unknown => {
    const schema = published({ type: 'object', properties: { field } }, form);
    return (schema.properties as JsonObject).field;
  };

  it('are named after the reversed group', () => {
    assert.equal(documentedKind(NAMED, 'x-orch-', () => undefined).name, 'com.example.v1.Widget');
  });

  it('know the members of every object', () => {
    assert.deepEqual(published({ type: 'object' }, 'v2'), { type: 'object', properties: MEMBERS });
  });

  it('say nothing in v2 about objects that keep unknown fields', () => {
    assert.deepEqual(published({ type: 'object', ...KEEPS }, 'v2'), { type: 'object' });
    assert.deepEqual(published({ type: 'object', ...KEEPS }, 'v3'), { type: 'object', ...KEEPS, properties: MEMBERS });
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
      'a whole object',
      { type: 'object', 'x-orch-embedded-resource': true },
      { type: 'object', 'x-orch-embedded-resource': true, properties: MEMBERS, required: ['kind', 'apiVersion'] },
      { type: 'object', 'x-orch-embedded-resource': true, properties: MEMBERS, required: ['kind', 'apiVersion'] },
    ],
    [
      'members that must be there, but for those that may be null',
      {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { ...string, nullable: true }, b: string },
      },
      { type: 'object', required: ['b'], properties: { a: {}, b: string } },
      { type: 'object', required: ['a', 'b'], properties: { a: { ...string, nullable: true }, b: string } },
    ],
    [
      'members that must be there in what may be null itself',
      { type: 'object', nullable: true, required: ['a'], properties: { a: { ...string, nullable: true } } },
      { required: ['a'] },
      { type: 'object', nullable: true, required: ['a'], properties: { a: { ...string, nullable: true } } },
    ],
    [
      'a map to what may be null',
      { type: 'object', additionalProperties: { ...string, nullable: true } },
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: { ...string, nullable: true } },
    ],
    ['a text with unknown fields', { ...string, ...KEEPS }, { ...string, ...KEEPS }, { ...string, ...KEEPS }],
    [
      'an integer or a text',
      { 'x-orch-int-or-string': true },
      { 'x-orch-int-or-string': true },
      { 'x-orch-int-or-string': true, anyOf: [{ type: 'integer' }, string] },
    ],
    [
      'an integer or a text with alternatives of its own',
      { 'x-orch-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, string] }, { pattern: 'x' }] },
      { 'x-orch-int-or-string': true },
      { 'x-orch-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, string] }, { pattern: 'x' }] },
    ],
    [
      'an integer or a text with other alternatives',
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
    it(`tell of ${what}`, () => {
      assert.deepEqual(ofField(schema, 'v2'), v2);
      assert.deepEqual(ofField(schema, 'v3'), v3);
    });
  }
});
