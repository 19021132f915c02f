import assert from 'node:assert/strict';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { unpack } from './pack.ts';
import type { PublishedDocument } from './published-document.ts';
import { decodeDocument } from './testing/decode-document.ts';
import { documentsByDefault } from './testing/served-by-default.ts';

/** The protobuf form of v3 has only defaults that are single values. */
function withoutObjectDefaults(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutObjectDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as JsonObject).filter(
    ([name, member]) => !(name === 'default' && typeof member === 'object' && Object.keys(member ?? {}).length === 0),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutObjectDefaults(member)]));
}

async function bothForms(document: PublishedDocument): Promise<{ json: JsonValue; protobuf: Buffer }> {
  const json = JSON.parse((await unpack((await document.packed('json')).gzip)).toString()) as JsonValue;
  return { json, protobuf: await unpack((await document.packed('protobuf')).gzip) };
}

describe('the Protobuf form of OpenAPI documents', () => {
  const documents = documentsByDefault();

  it('of v2 decodes to the JSON form', async () => {
    const { json, protobuf } = await bothForms(await documents.v2());
    assert.deepEqual(decodeDocument('v2', protobuf), json);
  });

  for (const key of [
    'api/v1',
    'apis/apps/v1',
    documents.keys.find((key) => /^apis\/apiextensions.*v1$/.test(key))!,
    'version',
    'logs',
  ]) {
    it(`of v3 decodes to the JSON form: ${key}`, async () => {
      const { json, protobuf } = await bothForms((await documents.v3(key))!);
      assert.deepEqual(decodeDocument('v3', protobuf), withoutObjectDefaults(json));
    });
  }
});
