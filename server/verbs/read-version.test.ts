import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { Answer } from '../api/answer.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import { MemoryStore } from '../cache/testing/memory-store.ts';
import { pod, quietLog } from '../cache/testing/objects.ts';
import { WatchCache } from '../cache/watch-cache.ts';
import { createFeatureGates } from '../config/feature-gates.ts';
import { Registry, type RegistryParts } from '../resources/registry.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { watch } from './watch.ts';

const naming = createNaming('orch');
const schema = loadSchema(naming);

/** Every stored resource of the schema, with nothing extracted. */
function resources() {
  const found = new Map<string, { group: string; plural: string }>();
  for (const { storage } of schema.groupVersions.flatMap((version) => version.resources))
    if (storage !== undefined) found.set(`${storage.group}/${storage.plural}`, storage);
  return [...found.values()];
}

describe('a server after etcd was restored from a backup', () => {
  let store: MemoryStore;
  let cache: WatchCache;
  let registry: Registry;
  let pods: StoredServedResource;
  let known: () => void;

  beforeEach(async () => {
    store = new MemoryStore();
    store.put('/registry/core/pods/a/old', pod('a/old', 1));
    const backup = store.revision;
    store.put('/registry/core/pods/a/ghost', pod('a/ghost', 1));
    cache = new WatchCache({ store, prefix: '/registry', resources: resources(), log: quietLog });
    const parts: RegistryParts = {
      admission: () => ({ async mutate() {}, async validate() {} }),
      options: { allowPrivileged: true, collectsGarbage: true, deleteWorkers: 1, minWatchSeconds: 1 },
      schema,
      naming,
      gates: createFeatureGates(new Map()),
      store,
      cache,
      rules: new Map(),
      etcdPrefix: '/registry',
      enabled: (_group, _version, _resource, byDefault) => byDefault,
    };
    registry = new Registry(parts);
    pods = registry.findStored('', 'v1', 'pods');
    await cache.start();
    // The new state cannot be listed until the test allows it.
    const clusterIdIsKnown = new Promise<void>((resolve) => {
      known = resolve;
    });
    const clusterId = store.clusterId.bind(store);
    store.clusterId = async () => {
      await clusterIdIsKnown;
      return clusterId();
    };
    store.restore(backup, 'restored');
    await assert.rejects(cache.fresh(), /restored/);
    assert.equal(cache.ready, false);
  });

  afterEach(async () => {
    known();
    await cache.stop();
  });

  const context = (query: string, name = '') =>
    ({ query: new URLSearchParams(query), info: { namespace: 'a', name } }) as unknown as RequestContext;
  const getPod = async (name: string, query: string) => get(registry, pods, context(query, name));
  const listPods = async (query: string) => names(await list(registry, pods, context(query)));
  const watchPods = (query: string) => watch(registry, pods, context(query));
  const names = (answer: Answer) => (answer.kind === 'list' ? answer.content.items.map(({ key }) => key) : []);

  it('reads any version from etcd', async () => {
    assert.deepEqual(await listPods('resourceVersion=0'), ['a/old']);
    await assert.rejects(getPod('ghost', 'resourceVersion=0'), { code: 404 });
    assert.equal((await getPod('old', 'resourceVersion=0')).kind, 'object');
  });

  it('answers 503 to requests that need the cache, until the cache is filled', async () => {
    for (const query of ['', 'resourceVersion=0', 'resourceVersion=2'])
      await assert.rejects(watchPods(query), { code: 503 }, `watch ${query}`);
    await assert.rejects(listPods('resourceVersion=2'), { code: 503 });
    await assert.rejects(getPod('old', 'resourceVersion=2'), { code: 503 });
  });

  it('answers all requests after the cache is filled', async () => {
    known();
    const giveUpAt = Date.now() + 30_000;
    while (!cache.ready && Date.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(await listPods('resourceVersion=0'), ['a/old']);
    assert.equal((await watchPods('resourceVersion=0')).kind, 'watch');
  });
});
