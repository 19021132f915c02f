import assert from 'node:assert/strict';
import type { JsonObject } from '#base/json/json-value.ts';
import { ConvertedDocument } from './convert-v2.ts';
import type { Entry } from './document-parts.ts';

async function made(entries: readonly Entry[]): Promise<JsonObject> {
  return Object.fromEntries(await Promise.all(entries.map(async ([name, make]) => [name, await make()] as const)));
}

describe('ConvertedDocument: an OpenAPI 2.0 document in 3.0 form', () => {
  const pointer = { $ref: '#/definitions/Thing' };
  const there = { $ref: '#/components/schemas/Thing' };

  const schemas: Record<string, [v2: JsonObject, v3: JsonObject]> = {
    'a schema without references does not change': [
      { type: 'string', enum: ['a'], default: 'a', 'x-own': 1 },
      { type: 'string', enum: ['a'], default: 'a', 'x-own': 1 },
    ],
    'references are rewritten everywhere': [
      { properties: { a: pointer }, items: pointer, additionalProperties: pointer, allOf: [pointer] },
      { properties: { a: there }, items: there, additionalProperties: there, allOf: [there] },
    ],
    'a reference with other keywords is wrapped in allOf': [
      { properties: { a: { ...pointer, description: 'd' } } },
      { properties: { a: { description: 'd', allOf: [there] } } },
    ],
    'a property named $ref does not change': [
      { properties: { $ref: { type: 'string' } } },
      { properties: { $ref: { type: 'string' } } },
    ],
    'a boolean schema does not change': [{ additionalProperties: true }, { additionalProperties: true }],
  };
  for (const [title, [v2, v3]] of Object.entries(schemas)) {
    it(`converts schemas: ${title}`, async () => {
      const { maps } = new ConvertedDocument({ definitions: { A: v2 } });
      assert.deepEqual(await made(maps.definitions), { A: v3 });
    });
  }

  const operations: Record<string, [v2: JsonObject, v3: JsonObject]> = {
    'parameters get schemas without items': [
      { parameters: [{ name: 'q', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'csv' }] },
      { parameters: [{ name: 'q', in: 'query', schema: { type: 'array' } }], responses: {} },
    ],
    'references to shared parameters are rewritten': [
      { parameters: [{ $ref: '#/parameters/q' }] },
      { parameters: [{ $ref: '#/components/parameters/q' }], responses: {} },
    ],
    'the body becomes content for each media type': [
      { consumes: ['a/a', 'b/b'], parameters: [{ name: 'body', in: 'body', required: true, schema: pointer }] },
      { requestBody: { content: { 'a/a': { schema: there }, 'b/b': { schema: there } } }, responses: {} },
    ],
    'responses get content for each media type': [
      { produces: ['a/a'], schemes: ['https'], responses: { 200: { description: 'OK', schema: pointer }, 401: {} } },
      { responses: { 200: { description: 'OK', content: { 'a/a': { schema: there } } }, 401: { description: '' } } },
    ],
    'other fields are kept': [
      { operationId: 'x', tags: ['t'], deprecated: true, 'x-own': {}, security: [], responses: {} },
      { tags: ['t'], operationId: 'x', responses: {}, deprecated: true, 'x-own': {} },
    ],
  };
  for (const [title, [v2, v3]] of Object.entries(operations)) {
    it(`converts operations: ${title}`, async () => {
      const { maps } = new ConvertedDocument({ paths: { '/a': { get: v2 } } });
      assert.deepEqual(await made(maps.paths), { '/a': { get: v3 } });
    });
  }

  it('converts all other parts of the document', async () => {
    const { skeleton, maps } = new ConvertedDocument({
      swagger: '2.0',
      info: { title: 't', version: 'v' },
      paths: { '/a': { parameters: [{ name: 'p', in: 'path', required: true, type: 'string' }], 'x-own': 1 } },
      responses: { r: { description: 'd' } },
      securityDefinitions: {
        token: { type: 'apiKey', name: 'authorization', in: 'header' },
        flow: { type: 'oauth2', flow: 'implicit', authorizationUrl: 'u', scopes: { s: 'd' } },
      },
    });
    assert.deepEqual(skeleton.head, { openapi: '3.0.0', info: { title: 't', version: 'v' } });
    assert.deepEqual(await made(maps.paths), {
      '/a': { parameters: [{ name: 'p', in: 'path', required: true, schema: { type: 'string' } }], 'x-own': 1 },
    });
    assert.deepEqual(skeleton.tail, {
      securitySchemes: {
        token: { type: 'apiKey', name: 'authorization', in: 'header' },
        flow: { type: 'oauth2', flows: { implicit: { authorizationUrl: 'u', scopes: { s: 'd' } } } },
      },
      responses: { r: { description: 'd' } },
    });
  });

  it('refuses documents whose conversion would be too large', () => {
    const schema = { description: 'x'.repeat(10_000) };
    const produces = Array.from({ length: 1_000 }, (_, i) => `a/${i}`);
    const paths = { '/a': { get: { produces, responses: { 200: { schema } } } } };
    assert.throws(() => new ConvertedDocument({ paths }), /share too much/);
  });
});
