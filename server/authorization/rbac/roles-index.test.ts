import assert from 'node:assert/strict';
import { MemoryStore } from '../../cache/testing/memory-store.ts';
import { quietLog } from '../../cache/testing/objects.ts';
import { WatchCache } from '../../cache/watch-cache.ts';
import { RolesIndex } from './roles-index.ts';

const GROUP = 'rbac.authorization';

describe('RolesIndex', () => {
  it('returns the rules that the cache contains at that time', async () => {
    const store = new MemoryStore();
    const put = (verbs: string[] | undefined) =>
      store.put(
        `/registry/${GROUP}/roles/a/x`,
        verbs &&
          JSON.stringify({
            kind: 'Role',
            apiVersion: `${GROUP}/v1`,
            metadata: { name: 'x', namespace: 'a' },
            rules: [{ verbs }],
          }),
      );
    const cache = new WatchCache({
      store,
      prefix: '/registry',
      resources: [{ group: GROUP, plural: 'roles' }],
      log: quietLog,
    });
    await cache.start();
    const index = new RolesIndex(cache.resource(GROUP, 'roles'), (item) => cache.parsed(item));
    const changes: [verbs: string[] | undefined, rules: unknown][] = [
      [['get'], [{ verbs: ['get'] }]],
      [['list'], [{ verbs: ['list'] }]],
      [undefined, undefined],
      [['get', 'list'], [{ verbs: ['get', 'list'] }]],
    ];
    for (const [verbs, rules] of changes) {
      await cache.waitFor(put(verbs), 1000);
      assert.deepEqual(index.of('a/x'), rules);
      assert.equal(index.of('b/x'), undefined);
    }
    await cache.stop();
  });
});
