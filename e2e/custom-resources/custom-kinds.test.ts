import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { StatusError, serviceUnavailable } from '#base/errors/status-error.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { CustomResource } from '#server/resources/custom-resource.ts';
import { crates, groupOf, specOf } from '#server/testing/invented-model.ts';
import { SmallServer } from '#server/testing/small-server.ts';

const GROUP = '/apis/stable.example.com';
const PATH = `${GROUP}/v1/namespaces/default/crates`;
const KEY = '/registry/stable.example.com/crates/default';

const crate = (name: string, spec: object = {}, version = 'v1') => ({
  apiVersion: `stable.example.com/${version}`,
  kind: 'Crate',
  metadata: { name },
  spec,
});

describe('a kind that comes at run time', () => {
  for (const profile of ['orch', 'kubernetes'] as const) {
    describe(`in the ${profile} naming`, () => {
      let server: SmallServer;
      before(async () => {
        server = await new SmallServer(profile).start();
      });
      after(() => server.stop());

      it('is nowhere before, and everywhere after', async () => {
        assert.equal((await server.call('GET', PATH)).status, 404);
        assert.equal((await server.call('GET', GROUP)).status, 404);
        const { json: before } = await server.call('GET', '/apis');
        let told = 0;
        const end = server.registry.onChange(() => told++);
        server.registry.setCustom([groupOf(crates([{ name: 'v1', fields: { size: 3 } }], 'v1'))]);
        end();
        assert.equal(told, 1);
        assert.equal((await server.call('GET', PATH)).status, 200);
        assert.equal((await server.call('GET', GROUP)).json.preferredVersion.version, 'v1');
        const { json: listed } = await server.call('GET', `${GROUP}/v1`);
        assert.deepEqual(
          listed.resources.map(({ name }: { name: string }) => name),
          ['crates'],
        );
        const { json: after } = await server.call('GET', '/apis');
        assert.equal(after.groups.length, before.groups.length + 1);
        const { text } = await server.call('GET', '/openapi/v3/apis/stable.example.com/v1');
        const document = JSON.parse(text);
        assert.ok('com.example.stable.v1.Crate' in document.components.schemas);
        assert.ok('com.example.stable.v1.CrateList' in document.components.schemas);
      });

      it('is stored as plain JSON under its group, and defaulted', async () => {
        const body = crate('a');
        const { status, json } = await server.call('POST', PATH, body);
        assert.equal(status, 201, JSON.stringify(json));
        assert.deepEqual([json.kind, json.apiVersion, json.spec], ['Crate', 'stable.example.com/v1', { size: 3 }]);
        const stored = await server.store.get(`${KEY}/a`);
        const { kind, apiVersion, spec } = JSON.parse(stored!.value.toString());
        assert.deepEqual(
          { kind, apiVersion, spec },
          { kind: 'Crate', apiVersion: 'stable.example.com/v1', spec: { size: 3 } },
        );
        assert.equal((await server.call('GET', `${PATH}/a`)).json.metadata.uid, json.metadata.uid);
      });

      it('has its own rules, and unknown fields', async () => {
        const bad = await server.call('POST', PATH, crate('b', { size: -1 }));
        assert.equal(bad.status, 422);
        assert.equal(bad.json.details.causes[0].field, 'spec.size');
        const warned = await server.call('POST', `${PATH}?dryRun=All`, crate('b', { x: 1 }));
        assert.match(warned.headers.get('warning') ?? '', /unknown field \\"spec\.x\\"/);
        const strict = await server.call('POST', `${PATH}?fieldValidation=Strict`, crate('b', { x: 1 }));
        assert.equal(strict.status, 400);
      });

      it('is updated, patched and applied to, and nothing is written that changes nothing', async () => {
        const { json } = await server.call('GET', `${PATH}/a`);
        const put = await server.call('PUT', `${PATH}/a`, { ...json, spec: { size: 4 } });
        assert.deepEqual([put.status, put.json.spec.size, put.json.metadata.generation], [200, 4, 2]);
        const again = await server.call('PUT', `${PATH}/a`, put.json);
        assert.equal(again.json.metadata.resourceVersion, put.json.metadata.resourceVersion);
        const merge = await server.call(
          'PATCH',
          `${PATH}/a`,
          { spec: { size: 5 } },
          { 'content-type': 'application/merge-patch+json' },
        );
        assert.deepEqual([merge.status, merge.json.spec.size], [200, 5]);
        const config = {
          apiVersion: 'stable.example.com/v1',
          kind: 'Crate',
          metadata: { name: 'a' },
          spec: { size: 6 },
        };
        const apply = (query: string) =>
          server.call('PATCH', `${PATH}/a?fieldManager=m${query}`, config, {
            'content-type': 'application/apply-patch+yaml',
          });
        assert.equal((await apply('')).status, 409);
        const forced = await apply('&force=true');
        assert.deepEqual([forced.status, forced.json.spec.size], [200, 6]);
        const [owner] = forced.json.metadata.managedFields;
        assert.deepEqual([owner.manager, owner.fieldsV1], ['m', { 'f:spec': { 'f:size': {} } }]);
      });

      it('has no strategic patch and no protobuf, but metadata and tables', async () => {
        const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
        const { status, json } = await server.call('PATCH', `${PATH}/a`, {}, strategic);
        assert.equal(status, 415);
        assert.match(
          json.message,
          /accepted media types include: application\/json-patch\+json, application\/merge-patch\+json, application\/apply-patch\+yaml$/,
        );
        const protobuf = server.registry.naming.protobufMediaType;
        assert.equal((await server.call('POST', PATH, {}, { 'content-type': protobuf })).status, 415);
        assert.equal((await server.call('GET', `${PATH}/a`, undefined, { accept: protobuf })).status, 406);
        const fallback = await server.call('GET', `${PATH}/a`, undefined, { accept: `${protobuf},application/json` });
        assert.equal(fallback.json.kind, 'Crate');
        const meta = server.registry.naming.group('meta');
        const partial = await server.open('GET', PATH, undefined, {
          accept: `${protobuf};as=PartialObjectMetadataList;g=${meta};v=v1`,
        });
        assert.equal(partial.status, 200);
        const table = await server.call('GET', PATH, undefined, { accept: `application/json;as=Table;g=${meta};v=v1` });
        assert.deepEqual(
          table.json.rows.map(({ cells }: { cells: string[] }) => cells[0]),
          ['a'],
        );
      });

      it('is watched, deleted, and gone', async () => {
        const stopped = new AbortController();
        const watch = await server.open('GET', `${PATH}?watch=1`, undefined, {}, stopped.signal);
        const reader = watch.body!.pipeThrough(new TextDecoderStream()).getReader();
        assert.match((await reader.read()).value!, /"type":"ADDED".*"name":"a"/);
        assert.equal((await server.call('DELETE', `${PATH}/a`)).status, 200);
        assert.match((await reader.read()).value!, /"type":"DELETED"/);
        await reader.cancel().catch(() => {});
        stopped.abort();
        server.registry.setCustom([]);
        assert.equal((await server.call('GET', PATH)).status, 404);
        assert.equal((await server.call('GET', `${GROUP}/v1`)).status, 404);
        assert.equal((await server.call('GET', '/openapi/v3/apis/stable.example.com/v1')).status, 404);
      });
    });
  }
});

/** Both versions of a crate say its size, in fields of their own. */
const BOTH = [
  { name: 'v1', fields: { size: undefined } },
  { name: 'v2', fields: { volume: undefined } },
];

/** Converts as a webhook would: later, and as often as it says. */
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

describe('versions whose objects a webhook converts', () => {
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

  it('ask no webhook in the version that is stored', async () => {
    await create('a', 1);
    await server.call('GET', PATH);
    await server.call('GET', `${PATH}/a`);
    assert.deepEqual(converter.calls, []);
  });

  it('convert each object of a list once, and all that need it at a time', async () => {
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

  it('share what is under way between requests that come together', async () => {
    for (let i = 0; i < 3; i++) await create(`c${i}`, i);
    const answers = await Promise.all(Array.from({ length: 10 }, () => server.call('GET', inV2)));
    assert.ok(answers.every(({ json }) => names(json).length === 3));
    assert.deepEqual(converter.calls, [3]);
  });

  it('are asked in batches of no more than 500', async () => {
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

  it('write in every version, and store one', async () => {
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

  it('keep the owners of fields right across versions', async () => {
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
    // a field that no manager applies any more goes, in whatever version it was
    const gone = await apply(PATH, 'v1', {}, 'two');
    assert.equal(gone.status, 200, gone.text);
  });

  it('show watchers everything in order', async () => {
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

  it('fail the requests that need them, and no others', async () => {
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

  it('rewrite what is stored in an earlier version with the next write', async () => {
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

describe('what built-in kinds are', () => {
  it('is known without looking at definitions', async () => {
    const server = await new SmallServer().start();
    let asked = 0;
    server.registry.setCustom(() => {
      asked++;
      return [];
    });
    assert.equal(server.registry.find('', 'v1', 'configmaps')!.stored, server.registry.stored('core', 'configmaps'));
    assert.equal(asked, 0);
    assert.equal(server.registry.find('', 'v1', 'crates'), undefined);
    assert.equal(asked, 1);
    await server.stop();
  });
});

describe('objects that were stored under an earlier schema', () => {
  let server: SmallServer;
  before(async () => {
    server = await new SmallServer().start();
  });
  after(() => server.stop());

  it('show the defaults of today, and are not written for it', async () => {
    server.registry.setCustom([groupOf(crates([{ name: 'v1', fields: { size: undefined } }], 'v1'))]);
    for (let i = 0; i < 40; i++) await server.call('POST', PATH, crate(`c${i}`));
    const { revision } = server.store;
    server.registry.setCustom([groupOf(crates([{ name: 'v1', fields: { size: undefined, depth: 5 } }], 'v1'))]);
    const { json } = await server.call('GET', PATH);
    assert.ok(json.items.every(({ spec }: { spec: { depth: number } }) => spec.depth === 5));
    assert.equal((await server.call('GET', `${PATH}/c1`)).json.spec.depth, 5);
    assert.equal(server.store.revision, revision);
  });
});

describe('a write whose definition changes under it', () => {
  let server: SmallServer;
  const DEFINITION = '/registry/definitions/crates';
  let renewals = 0;

  /** The resource as of the definition's present revision. */
  const defined = async (depth: number): Promise<CustomResource> => {
    const { revision } = (await server.store.get(DEFINITION))!;
    const conditions = [{ key: DEFINITION, revision }];
    return crates([{ name: 'v1', fields: { size: undefined, depth } }], 'v1', {
      condition: {
        conditions,
        async renew() {
          renewals++;
          server.registry.setCustom([groupOf(await defined(depth + 1))]);
        },
        refusal: () => serviceUnavailable('the definition keeps changing'),
      },
    });
  };

  beforeEach(async () => {
    renewals = 0;
    server = await new SmallServer('orch').start();
    server.store.put(DEFINITION, 'one');
    server.registry.setCustom([groupOf(await defined(1))]);
  });
  afterEach(() => server.stop());

  it('is made again by the definition of that moment, whatever the verb', async () => {
    const merge = { 'content-type': 'application/merge-patch+json' };
    const writes: [string, string, unknown, Record<string, string>][] = [
      ['POST', PATH, crate('a'), {}],
      ['PATCH', `${PATH}/a`, { spec: { size: 1 } }, merge],
      ['PUT', `${PATH}/a`, undefined, {}],
      ['DELETE', `${PATH}/a`, undefined, {}],
    ];
    for (const [method, path, body, headers] of writes) {
      const sent = method === 'PUT' ? { ...(await server.call('GET', path)).json, spec: { size: 3 } } : body;
      server.store.put(DEFINITION, `before ${method}`);
      const before = renewals;
      const { status, text } = await server.call(method, path, sent, headers);
      assert.ok(status < 300, text);
      assert.equal(renewals, before + 1, method);
    }
    const made = await server.call('POST', PATH, crate('b'));
    assert.deepEqual([made.json.spec.depth, renewals], [5, 4]);
  });

  it('is refused in the end where that goes on', async () => {
    const keepsChanging: CustomResource = crates([{ name: 'v1', fields: {} }], 'v1', {
      condition: {
        conditions: [{ key: DEFINITION, revision: 1 }],
        async renew() {
          renewals++;
        },
        refusal: () => serviceUnavailable('the definition keeps changing'),
      },
    });
    server.registry.setCustom([groupOf(keepsChanging)]);
    const { status, json } = await server.call('POST', PATH, crate('a'));
    assert.deepEqual([status, json.message, renewals], [503, 'the definition keeps changing', 4]);
    assert.equal(await server.store.get(`${KEY}/a`), undefined);
  });
});

describe('what no definition knows', () => {
  let server: SmallServer;
  let asked = 0;
  before(async () => {
    server = await new SmallServer().start();
    server.registry.learnDefinitionsBy(async () => {
      asked++;
      server.registry.setCustom([groupOf(crates([{ name: 'v1', fields: {} }], 'v1'))]);
    });
  });
  after(() => server.stop());

  it('is looked for on a state as new as the request, as documents about custom kinds are', async () => {
    assert.equal((await server.call('GET', '/api/v1/namespaces')).status, 200);
    assert.equal((await server.call('GET', '/apis/apps/v1')).status, 200);
    assert.equal(asked, 0);
    assert.equal((await server.call('GET', PATH)).status, 200);
    assert.equal(asked, 1);
    assert.equal((await server.call('GET', PATH)).status, 200);
    assert.equal(asked, 1);
    // documents list what there is now, and what there is no longer
    for (const path of [GROUP, `${GROUP}/v1`]) assert.equal((await server.call('GET', path)).status, 200);
    assert.equal(asked, 3);
    for (const path of ['/apis/nope', `${GROUP}/v9`, `${GROUP}/v1/nope`, '/apis/nope/v1/things'])
      assert.equal((await server.call('GET', path)).status, 404, path);
    assert.equal(asked, 7);
  });
});
