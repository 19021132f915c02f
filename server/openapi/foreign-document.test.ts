import assert from 'node:assert/strict';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Entry } from './document-parts.ts';
import { ForeignDocument, type UsedNames } from './foreign-document.ts';

const to = (name: string) => ({ $ref: `#/definitions/${name}` });
const ofType = (type: string, more: object = {}) => ({ type, ...more });

function takenBy(schemas: Record<string, JsonObject | undefined>): UsedNames {
  return new Map(Object.entries(schemas).map(([name, schema]) => [name, schema && (() => schema)]));
}

async function merged(definitions: object, taken: UsedNames, path: object = { get: { schema: to('Thing') } }) {
  const document = { swagger: '2.0', paths: { '/apis/g/v1/things': path, '/apis/other/v1/x': {} }, definitions };
  const found = await ForeignDocument.read('apis/g/v1', Buffer.from(JSON.stringify(document)));
  const maps = await found!.maps(taken);
  const made = async (entries: readonly Entry[]) =>
    Object.fromEntries(await Promise.all(entries.map(async ([name, make]) => [name, await make()] as const)));
  return { paths: await made(maps.paths), definitions: await made(maps.definitions) };
}

describe('merging the OpenAPI document of another server', () => {
  const thing = ofType('object', { properties: { meta: to('Meta'), description: ofType('string') } });

  it('adds the paths of its group version, and the definitions that they reference', async () => {
    const definitions = { Thing: thing, Meta: ofType('object'), Unused: ofType('object') };
    assert.deepEqual(await merged(definitions, takenBy({})), {
      paths: { '/apis/g/v1/things': { get: { schema: to('Thing') } } },
      definitions: { Thing: thing, Meta: ofType('object') },
    });
  });

  const rows: [title: string, taken: Record<string, JsonObject | undefined>, definitions: object][] = [
    [
      'shares definitions that are equal except for descriptions',
      { Meta: ofType('object', { description: 'ours' }) },
      { Thing: thing },
    ],
    [
      'renames different definitions and the references to them',
      { Meta: ofType('string') },
      {
        Thing: ofType('object', { properties: { meta: to('Meta_v2'), description: ofType('string') } }),
        Meta_v2: ofType('object', { description: 'theirs' }),
      },
    ],
    [
      'uses the next free name',
      { Meta: ofType('string'), Meta_v2: undefined },
      {
        Thing: ofType('object', { properties: { meta: to('Meta_v3'), description: ofType('string') } }),
        Meta_v3: ofType('object', { description: 'theirs' }),
      },
    ],
    [
      'does not share definitions that reference a renamed definition',
      { Meta: ofType('string'), Thing: thing },
      {
        Thing_v2: ofType('object', { properties: { meta: to('Meta_v2'), description: ofType('string') } }),
        Meta_v2: ofType('object', { description: 'theirs' }),
      },
    ],
    [
      'shares a definition that was renamed for another server',
      { Meta: ofType('string'), Meta_v2: ofType('object') },
      { Thing: ofType('object', { properties: { meta: to('Meta_v2'), description: ofType('string') } }) },
    ],
    [
      'distinguishes a property named description from a description',
      { Thing: ofType('object', { properties: { meta: to('Meta') } }), Meta: ofType('object') },
      { Thing_v2: thing },
    ],
  ];
  for (const [title, taken, wanted] of rows) {
    it(title, async () => {
      const { definitions } = await merged(
        { Thing: thing, Meta: ofType('object', { description: 'theirs' }) },
        takenBy(taken),
      );
      assert.deepEqual(definitions, wanted);
    });
  }

  it('copies shared parameters to the places that use them', async () => {
    const body = { name: 'body', in: 'body', schema: to('Thing') };
    const document = {
      paths: { '/apis/g/v1/x': { parameters: [{ $ref: '#/parameters/body-1' }] } },
      definitions: { Thing: ofType('object') },
      parameters: { 'body-1': body },
    };
    const found = await ForeignDocument.read('apis/g/v1', Buffer.from(JSON.stringify(document)));
    assert.deepEqual(found?.names, ['Thing']);
    const { paths } = await found!.maps(takenBy({}));
    assert.deepEqual(paths[0]![1](), { parameters: [body] });
  });

  it('returns nothing for other group versions, and refuses invalid or too large documents', async () => {
    assert.equal(await ForeignDocument.read('apis/g/v1', Buffer.from('{"paths":{"/apis/g/v12/x":{}}}')), undefined);
    assert.equal(await ForeignDocument.read('apis/g/v1', Buffer.from('[]')), undefined);
    await assert.rejects(ForeignDocument.read('apis/g/v1', Buffer.from('<html>')));
    const a = [{ $ref: '#/parameters/a' }, { $ref: '#/parameters/a' }];
    const endless = { paths: { '/apis/g/v1': { of: { $ref: '#/parameters/a' } } }, parameters: { a: { a } } };
    const found = await ForeignDocument.read('apis/g/v1', Buffer.from(JSON.stringify(endless)));
    assert.deepEqual((await found!.maps(takenBy({}))).paths[0]![1](), { of: { a: [{}, {}] } });
    const uses = Array.from({ length: 10_000 }, () => a[0]);
    const large = { paths: { '/apis/g/v1': { uses } }, parameters: { a: { name: 'x'.repeat(1_000) } } };
    await assert.rejects(ForeignDocument.read('apis/g/v1', Buffer.from(JSON.stringify(large))), /share too much/);
  });
});
