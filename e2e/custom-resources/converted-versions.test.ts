import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { StatusError } from '#base/errors/status-error.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { CustomResource } from '#server/resources/custom-resource.ts';
import { crates, groupOf, specOf } from '#server/testing/invented-model.ts';
import { SmallServer } from '#server/testing/small-server.ts';
import { crate, KEY, PATH } from './crate-requests.ts';

/** Both versions of a crate contain its size, in separate fields. */
const BOTH = [
  { name: 'v1', fields: { size: undefined } },
  { name: 'v2', fields: { volume: undefined } },
];

/** Converts asynchronously, as a webhook does, and counts the calls. */
class Converter {
  calls: number[] = [];
  broken = false;
  readonly convert: NonNullable<CustomResource['convert']> = async (objects, to) => {
    this.calls.push(objects.length);
    await sleep(1);
    if (this.broken) throw new StatusError(500, 'InternalError', 'the converter is broken');
    return objects.map((object) => {
      const { size, volume } = specOf(object);
      const spec = to.endsWith('/v2') ? { volume: volume ?? size ?? 0 } : { size: size ?? volume ?? 0 };
      return asObject({ ...object, apiVersion: to, spec });
    });
  };
}

describe('versions that a webhook converts', () => {
  let server: SmallServer;
  let converter: Converter;
  const inV2 = PATH.replace('/v1/', '/v2/');
  const names = (json: { items: { metadata: { name: string } }[] }) => json.items.map(({ metadata }) => metadata.name);
  beforeEach(async () => {
    server = await new SmallServer().start();
    converter = new Converter();
    server.registry.setCustom([groupOf(crates(BOTH, 'v1', { convert: converter.convert }))]);
  });
  afterEach(() => server.stop());
  const create = (name: string, size: number) => server.call('POST', PATH, crate(name, { size }));
  it('need no webhook call for the stored version', async () => {
    await create('a', 1);
    await server.call('GET', PATH);
    await server.call('GET', `${PATH}/a`);
    assert.deepEqual(converter.calls, []);
  });
  it('are converted once for each object, in one call for a list', async () => {
    for (let i = 0; i < 5; i++) await create(`c${i}`, i);
    const { json } = await server.call('GET', inV2);
    assert.deepEqual(names(json), ['c0', 'c1', 'c2', 'c3', 'c4']);
    assert.deepEqual(
      json.items.map(({ spec }: ApiObject) => spec),
      [0, 1, 2, 3, 4].map((volume) => ({ volume })),
    );
    assert.equal(json.apiVersion, 'stable.example.com/v2');
    assert.deepEqual(converter.calls, [5]);
    await server.call('GET', inV2);
    await server.call('GET', `${inV2}/c3`);
    assert.deepEqual(converter.calls, [5]);
    await create('c5', 5);
    assert.equal((await server.call('GET', `${inV2}/c5`)).json.spec.volume, 5);
    assert.deepEqual(converter.calls, [5, 1]);
  });
  it('share running conversions between parallel requests', async () => {
    for (let i = 0; i < 3; i++) await create(`c${i}`, i);
    const answers = await Promise.all(Array.from({ length: 10 }, () => server.call('GET', inV2)));
    assert.ok(answers.every(({ json }) => names(json).length === 3));
    assert.deepEqual(converter.calls, [3]);
  });
  it('are converted in batches of at most 500', async () => {
    const meta = { uid: 'u', creationTimestamp: '2020-01-01T00:00:00Z' };
    for (let i = 0; i < 1201; i++) {
      const name = `c${String(i).padStart(5, '0')}`;
      const object = {
        kind: 'Crate',
        apiVersion: 'stable.example.com/v1',
        metadata: { name, namespace: 'default', ...meta },
        spec: { size: i },
      };
      server.store.put(`${KEY}/${name}`, JSON.stringify(object));
    }
    const { json } = await server.call('GET', inV2);
    assert.deepEqual(
      json.items.map(({ spec }: { spec: { volume: number } }) => spec.volume),
      [...Array(1201).keys()],
    );
    assert.deepEqual(converter.calls, [500, 500, 201]);
  });
  it('can all be written, and one version is stored', async () => {
    const made = await server.call('POST', inV2, crate('a', { volume: 7 }, 'v2'));
    assert.deepEqual([made.status, made.json.spec], [201, { volume: 7 }]);
    const stored = JSON.parse((await server.store.get(`${KEY}/a`))!.value.toString());
    assert.deepEqual([stored.apiVersion, stored.spec], ['stable.example.com/v1', { size: 7 }]);
    const put = await server.call('PUT', `${inV2}/a`, { ...made.json, spec: { volume: 8 } });
    assert.deepEqual([put.status, put.json.spec], [200, { volume: 8 }]);
    const same = await server.call('PUT', `${inV2}/a`, put.json);
    assert.equal(same.json.metadata.resourceVersion, put.json.metadata.resourceVersion);
    const merge = { 'content-type': 'application/merge-patch+json' };
    assert.equal((await server.call('PATCH', `${PATH}/a`, { spec: { size: 9 } }, merge)).json.spec.size, 9);
    const config = { apiVersion: 'stable.example.com/v2', kind: 'Crate', metadata: { name: 'a' }, spec: { volume: 9 } };
    const yaml = { 'content-type': 'application/apply-patch+yaml' };
    const applied = await server.call('PATCH', `${inV2}/a?fieldManager=m`, config, yaml);
    assert.equal(applied.status, 200, applied.text);
    const moved = { ...config, apiVersion: 'stable.example.com/v1', spec: { size: 10 } };
    const refused = await server.call('PATCH', `${PATH}/a?fieldManager=other`, moved, yaml);
    assert.equal(refused.status, 409, refused.text);
    assert.equal((await server.call('DELETE', `${inV2}/a`)).status, 200);
  });
  it('keep the owners of fields across versions', async () => {
    const yaml = { 'content-type': 'application/apply-patch+yaml' };
    const apply = (path: string, version: string, spec: object, manager: string) => {
      const config = { apiVersion: `stable.example.com/${version}`, kind: 'Crate', metadata: { name: 'a' }, spec };
      return server.call('PATCH', `${path}/a?force=true&fieldManager=${manager}`, config, yaml);
    };
    assert.equal((await apply(PATH, 'v1', { size: 1 }, 'one')).status, 201);
    const taken = await apply(inV2, 'v2', { volume: 2 }, 'two');
    const owners = taken.json.metadata.managedFields.map(
      ({ manager, apiVersion }: { manager: string; apiVersion: string }) => [manager, apiVersion],
    );
    assert.deepEqual(owners, [['two', 'stable.example.com/v2']]);
    // A field that no manager applies any more disappears in all versions.
    const gone = await apply(PATH, 'v1', {}, 'two');
    assert.equal(gone.status, 200, gone.text);
  });
  it('are sent to watchers completely and in order', async () => {
    for (let i = 0; i < 3; i++) await create(`c${i}`, i);
    const stopped = new AbortController();
    const watch = await server.open('GET', `${inV2}?watch=1&labelSelector=!gone`, undefined, {}, stopped.signal);
    const events: string[] = [];
    const seen = (async () => {
      let rest = '';
      for await (const text of watch.body!.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split('\n');
        rest = lines.pop()!;
        for (const line of lines) {
          const { type, object } = JSON.parse(line);
          events.push(`${type} ${object.metadata.name} ${object.apiVersion.slice(-2)} ${object.spec.volume}`);
        }
        if (events.length >= 46) return;
      }
    })();
    const merge = { 'content-type': 'application/merge-patch+json' };
    for (let i = 0; i < 40; i++) await server.call('PATCH', `${PATH}/c0`, { spec: { size: 100 + i } }, merge);
    await server.call('PATCH', `${PATH}/c1`, { metadata: { labels: { gone: '' } } }, merge);
    await server.call('DELETE', `${PATH}/c2`);
    await create('c9', 9);
    await seen;
    stopped.abort();
    const changes = Array.from({ length: 40 }, (_, i) => `MODIFIED c0 v2 ${100 + i}`);
    const start = ['ADDED c0 v2 0', 'ADDED c1 v2 1', 'ADDED c2 v2 2'];
    assert.deepEqual(events, [...start, ...changes, 'DELETED c1 v2 1', 'DELETED c2 v2 2', 'ADDED c9 v2 9']);
  });
  it('fail only the requests that need the webhook if the webhook is broken', async () => {
    const { json: made } = await create('a', 1);
    converter.broken = true;
    for (const path of [inV2, `${inV2}/a`]) {
      const { status, json } = await server.call('GET', path);
      assert.deepEqual([status, json.message], [500, 'the converter is broken']);
    }
    assert.equal((await server.call('PUT', `${inV2}/a`, { ...made, apiVersion: 'stable.example.com/v2' })).status, 500);
    assert.equal((await server.call('GET', PATH)).status, 200);
    const watch = await server.call('GET', `${inV2}?watch=1`);
    assert.match(watch.text, /^\{"type":"ERROR".*the converter is broken/);
    converter.broken = false;
    assert.equal((await server.call('GET', `${inV2}/a`)).json.spec.volume, 1);
  });
  it('are stored in the new storage version with the next write', async () => {
    await create('a', 1);
    server.registry.setCustom([groupOf(crates(BOTH, 'v2', { convert: converter.convert }))]);
    const { json } = await server.call('GET', `${PATH}/a`);
    assert.equal(json.spec.size, 1);
    const put = await server.call('PUT', `${PATH}/a`, json);
    assert.notEqual(put.json.metadata.resourceVersion, json.metadata.resourceVersion);
    assert.equal(
      JSON.parse((await server.store.get(`${KEY}/a`))!.value.toString()).apiVersion,
      'stable.example.com/v2',
    );
    const again = await server.call('PUT', `${PATH}/a`, put.json);
    assert.equal(again.json.metadata.resourceVersion, put.json.metadata.resourceVersion);
  });
});
