import assert from 'node:assert/strict';
import { serviceUnavailable } from '#base/errors/status-error.ts';
import type { CustomResource } from '#server/resources/custom-resource.ts';
import { crates, groupOf } from '#server/testing/invented-model.ts';
import { SmallServer } from '#server/testing/small-server.ts';
import { crate, GROUP, KEY, PATH } from './crate-requests.ts';

describe('a custom resource that is added at run time', () => {
  for (const profile of ['orch', 'kubernetes'] as const) {
    describe(`with the naming ${profile}`, () => {
      let server: SmallServer;
      before(async () => {
        server = await new SmallServer(profile).start();
      });
      after(() => server.stop());
      it('is not served before its definition and is served everywhere after it', async () => {
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
      it('is stored as plain JSON under its group, with defaults', async () => {
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
      it('is validated by its schema, and unknown fields cause warnings', async () => {
        const bad = await server.call('POST', PATH, crate('b', { size: -1 }));
        assert.equal(bad.status, 422);
        assert.equal(bad.json.details.causes[0].field, 'spec.size');
        const warned = await server.call('POST', `${PATH}?dryRun=All`, crate('b', { x: 1 }));
        assert.match(warned.headers.get('warning') ?? '', /unknown field \\"spec\.x\\"/);
        const strict = await server.call('POST', `${PATH}?fieldValidation=Strict`, crate('b', { x: 1 }));
        assert.equal(strict.status, 400);
      });
      it('can be updated, patched and applied, and an unchanged object is not written', async () => {
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
      it('supports metadata and tables, but no strategic merge patch and no protobuf', async () => {
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
      it('can be watched and deleted', async () => {
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

describe('built-in kinds', () => {
  it('are known without reading definitions', async () => {
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

describe('objects that were stored with an earlier schema', () => {
  let server: SmallServer;
  before(async () => {
    server = await new SmallServer().start();
  });
  after(() => server.stop());
  it('get the current defaults when they are read, without a write', async () => {
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

describe('a write during a change of its definition', () => {
  let server: SmallServer;
  const DEFINITION = '/registry/definitions/crates';
  let renewals = 0;
  /** The resource at the definition's present revision. */
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
  it('is repeated with the new definition, for any verb', async () => {
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
  it('is refused in the end if the definition keeps changing', async () => {
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

describe('an unknown resource', () => {
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
  it('is looked up in state as new as the request, like documents about custom resources', async () => {
    assert.equal((await server.call('GET', '/api/v1/namespaces')).status, 200);
    assert.equal((await server.call('GET', '/apis/apps/v1')).status, 200);
    assert.equal(asked, 0);
    assert.equal((await server.call('GET', PATH)).status, 200);
    assert.equal(asked, 1);
    assert.equal((await server.call('GET', PATH)).status, 200);
    assert.equal(asked, 1);
    // Each request for a document reads the definitions once, also for a missing group, version or resource.
    for (const path of [GROUP, `${GROUP}/v1`]) assert.equal((await server.call('GET', path)).status, 200);
    assert.equal(asked, 3);
    for (const path of ['/apis/nope', `${GROUP}/v9`, `${GROUP}/v1/nope`, '/apis/nope/v1/things'])
      assert.equal((await server.call('GET', path)).status, 404, path);
    assert.equal(asked, 7);
  });
});
