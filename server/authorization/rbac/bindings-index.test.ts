import assert from 'node:assert/strict';
import { MemoryStore } from '../../cache/testing/memory-store.ts';
import { quietLog } from '../../cache/testing/objects.ts';
import { WatchCache } from '../../cache/watch-cache.ts';
import { type BindingContent, BindingsIndex } from './bindings-index.ts';

const GROUP = 'rbac.authorization';

describe('BindingsIndex', () => {
  let store: MemoryStore;
  let cache: WatchCache;
  let index: BindingsIndex;

  const put = async (key: string, ...subjects: [kind: string, name: string, namespace?: string][]) => {
    const [namespace, name] = key.split('/');
    const object = {
      kind: 'RoleBinding',
      apiVersion: `${GROUP}/v1`,
      metadata: { name, namespace },
      roleRef: { apiGroup: '', kind: 'Role', name: `role-of-${name}` },
      subjects: subjects.map(([kind, name, own]) => ({ kind, name, ...(own === undefined ? {} : { namespace: own }) })),
    };
    await cache.waitFor(store.put(`/registry/${GROUP}/rolebindings/${key}`, JSON.stringify(object)), 1000);
  };
  const bound = (namespace: string, name: string, ...groups: string[]) =>
    index.of({ name, uid: '', groups, extra: {} }, namespace).map((binding) => binding.name);

  beforeEach(async () => {
    store = new MemoryStore();
    cache = new WatchCache({
      store,
      prefix: '/registry',
      resources: [{ group: GROUP, plural: 'rolebindings' }],
      log: quietLog,
    });
    await cache.start();
    index = new BindingsIndex(
      cache.resource(GROUP, 'rolebindings'),
      (item) => cache.parsed(item) as unknown as BindingContent,
    );
  });

  afterEach(() => cache.stop());

  it('finds bindings by user, group and service account, in their namespace', async () => {
    await put('a/by-user', ['User', 'jane']);
    await put('a/by-group', ['Group', 'dev']);
    await put('a/by-account', ['ServiceAccount', 'robot', 'b'], ['ServiceAccount', 'own']);
    await put('b/elsewhere', ['User', 'jane']);
    assert.deepEqual(bound('a', 'jane'), ['by-user']);
    assert.deepEqual(bound('a', 'jane', 'dev', 'dev'), ['by-group', 'by-user']);
    assert.deepEqual(bound('a', 'system:serviceaccount:b:robot'), ['by-account']);
    assert.deepEqual(bound('a', 'system:serviceaccount:a:own'), ['by-account']);
    assert.deepEqual(bound('a', 'Jane', 'Dev'), []);
    assert.deepEqual(bound('', 'jane'), []);
  });

  it('does not confuse users whose names look like lists', async () => {
    await put('a/x', ['Group', 'dev']);
    assert.deepEqual(bound('a', 'jane', 'dev'), ['x']);
    for (const name of ['jane","dev', 'jane,dev', 'jane"],["dev', 'jane\0dev']) assert.deepEqual(bound('a', name), []);
    assert.deepEqual(bound('', 'a', 'dev'), []);
  });

  it('returns a binding once, and follows changes', async () => {
    await put('a/x', ['User', 'jane'], ['Group', 'dev'], ['Robot', 'jane']);
    assert.deepEqual(bound('a', 'jane', 'dev'), ['x']);
    await put('a/x', ['Group', 'dev']);
    assert.deepEqual(bound('a', 'jane'), []);
    assert.deepEqual(bound('a', 'jane', 'dev'), ['x']);
    await cache.waitFor(store.put(`/registry/${GROUP}/rolebindings/a/x`, undefined), 1000);
    assert.deepEqual(bound('a', 'jane', 'dev'), []);
  });
});
