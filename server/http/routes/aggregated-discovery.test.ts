import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { type SmallAnswer, SmallServer } from '../../testing/small-server.ts';
import { aggregatedVersion, versionEntry } from './aggregated-discovery.ts';

const naming = createNaming('orch');
const of = (v: string, g = 'apidiscovery.orch.io') => `application/json;g=${g};v=${v};as=APIGroupDiscoveryList`;

describe('aggregatedVersion of an Accept header', () => {
  const plain = 'application/json';
  const cases: readonly [accept: string | undefined, asked: string | undefined][] = [
    [undefined, undefined],
    ['*/*', undefined],
    [plain, undefined],
    [of('v2'), 'v2'],
    [of('v2beta1'), 'v2beta1'],
    [of('v3'), undefined],
    [of('v2', 'meta.orch.io'), undefined],
    ['application/json;as=APIGroupDiscoveryList', undefined],
    ['application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.orch.io', 'v2'],
    [`application/yaml;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList`, undefined],
    [`${of('v2')},${of('v2beta1')},${plain}`, 'v2'],
    [`${of('v2beta1')},${of('v2')},${plain}`, 'v2'],
    [`${of('v2beta1')},*/*`, 'v2beta1'],
    [`${of('v2beta1')},${plain}`, undefined],
    [`${of('v2beta1')},${plain};q=0.9`, 'v2beta1'],
    [`${of('v2beta1')},${plain};q=0.9,${of('v2')};q=0.8`, 'v2beta1'],
    [`${plain},${of('v2')}`, undefined],
    [`${plain};q=0.5,${of('v2')}`, 'v2'],
    [`${of('v2')};q=0,${plain}`, undefined],
    [`${of('v3')},${of('v2')}`, 'v2'],
    [`application/vnd.orch.protobuf,${of('v2')}`, undefined],
  ];
  for (const [accept, asked] of cases)
    it(`${accept} -> ${asked}`, () => assert.equal(aggregatedVersion(accept, naming, defaultRelease), asked));
});

describe('versionEntry for a version that another server serves', () => {
  const resource = { resource: 'flunders', scope: 'Namespaced' };

  it('copies the resources of that server', () => {
    assert.deepEqual(versionEntry(naming, 'v1', [], { resources: [resource], stale: false }), {
      version: 'v1',
      resources: [resource],
      freshness: 'Current',
    });
  });

  it('is stale while that server is unreachable, and has no resources if that server never answered', () => {
    assert.deepEqual(versionEntry(naming, 'v1', [], { resources: [resource], stale: true }), {
      version: 'v1',
      resources: [resource],
      freshness: 'Stale',
    });
    assert.deepEqual(versionEntry(naming, 'v1', []), { version: 'v1', freshness: 'Stale' });
  });
});

for (const profile of ['orch', 'kubernetes'] as const) {
  describe(`aggregated discovery with the naming ${profile}`, () => {
    const words = createNaming(profile);
    const group = words.group('apidiscovery');
    let server: SmallServer;

    const get = (path: string, v = 'v2', headers: Record<string, string> = {}, method = 'GET'): Promise<SmallAnswer> =>
      server.call(method, path, undefined, { accept: of(v, group), ...headers });

    before(async () => {
      server = await new SmallServer(profile).start();
    });

    after(() => server.stop());

    for (const v of ['v2', 'v2beta1']) {
      it(`contains the core group in ${v}`, async () => {
        const { status, headers, json } = await get('/api', v);
        assert.equal(status, 200);
        assert.equal(headers.get('content-type'), `application/json;g=${group};v=${v};as=APIGroupDiscoveryList`);
        assert.match(headers.get('vary') ?? '', /\bAccept\b/);
        assert.equal(json.kind, 'APIGroupDiscoveryList');
        assert.equal(json.apiVersion, `${group}/${v}`);
        assert.equal(json.items.length, 1);
        const [{ metadata, versions }] = json.items;
        assert.deepEqual(metadata, { creationTimestamp: null });
        assert.deepEqual(
          versions.map((one: { version: string; freshness: string }) => [one.version, one.freshness]),
          [['v1', 'Current']],
        );
        const pods = versions[0].resources.find(({ resource }: { resource: string }) => resource === 'pods');
        const { subresources, ...own } = pods;
        assert.deepEqual(own, {
          resource: 'pods',
          responseKind: { group: '', version: '', kind: 'Pod' },
          scope: 'Namespaced',
          singularResource: 'pod',
          verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'].filter((verb) =>
            own.verbs.includes(verb),
          ),
          shortNames: ['po'],
          categories: ['all'],
        });
        assert.deepEqual(
          subresources.find(({ subresource }: { subresource: string }) => subresource === 'eviction'),
          {
            subresource: 'eviction',
            responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
            verbs: ['create'],
          },
        );
      });
    }

    it('contains the same groups and resources as the unaggregated lists', async () => {
      const { json } = await get('/apis');
      const { json: list } = await server.call('GET', '/apis');
      const told = json.items.map((item: { metadata: { name: string }; versions: { version: string }[] }) => ({
        name: item.metadata.name,
        versions: item.versions.map(({ version }) => `${item.metadata.name}/${version}`),
      }));
      const listed = list.groups.map((one: { name: string; versions: { groupVersion: string }[] }) => ({
        name: one.name,
        versions: one.versions.map(({ groupVersion }) => groupVersion),
      }));
      assert.deepEqual(told, listed);
      for (const { metadata, versions } of json.items) {
        for (const { version, resources } of versions) {
          const { json: plain } = await server.call('GET', `/apis/${metadata.name}/${version}`);
          const names = (resources ?? []).flatMap(
            ({ resource, subresources = [] }: { resource: string; subresources?: { subresource: string }[] }) => [
              resource,
              ...subresources.map(({ subresource }) => `${resource}/${subresource}`),
            ],
          );
          assert.deepEqual(
            names,
            plain.resources.map(({ name }: { name: string }) => name),
          );
        }
      }
    });

    it('answers 304 if the client has the current document', async () => {
      const first = await get('/apis');
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"[0-9A-F]{128}"$/);
      const again = await get('/apis', 'v2', { 'if-none-match': etag });
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag]);
      assert.equal((await get('/apis', 'v2beta1', { 'if-none-match': etag })).status, 200);
      assert.equal((await get('/api', 'v2', { 'if-none-match': etag })).status, 200);
    });

    it('is not sent to clients that do not ask for it', async () => {
      assert.equal((await server.call('GET', '/apis')).json.kind, 'APIGroupList');
      assert.equal((await server.call('GET', '/api')).json.kind, 'APIVersions');
      assert.equal((await get('/apis', 'v3')).status, 406);
      assert.equal((await get('/apis/apps')).status, 406);
      assert.equal((await get('/apis/apps/v1')).status, 406);
      assert.equal((await get('/api', 'v2', {}, 'POST')).status, 405);
    });
  });
}
