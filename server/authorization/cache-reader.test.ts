import assert from 'node:assert/strict';
import { MemoryStore } from '../cache/testing/memory-store.ts';
import { pod, quietLog } from '../cache/testing/objects.ts';
import { WatchCache } from '../cache/watch-cache.ts';
import { CacheReader } from './cache-reader.ts';

describe('CacheReader', () => {
  it('reports all objects when the cache is filled, and each change from then on', async () => {
    const store = new MemoryStore();
    const put = (key: string, n: number | undefined) =>
      store.put(`/registry/core/pods/${key}`, n === undefined ? undefined : pod(key, n));
    put('a/x', 1);
    const cache = new WatchCache({
      store,
      prefix: '/registry',
      resources: [{ group: '', plural: 'pods' }],
      log: quietLog,
    });
    const reader = new CacheReader(cache, quietLog);
    const told: string[] = [];
    const stop = reader.onChange('', 'pods', (key, after, before) => {
      const n = (object: typeof after) => (object?.read()['spec'] as { n: number } | undefined)?.n ?? '-';
      told.push(`${key} ${n(before)} ${n(after)}`);
    });
    assert.deepEqual(told, []);
    await cache.start();
    reader.catchUp();
    assert.deepEqual(told, ['a/x - 1']);
    put('a/y', 2);
    put('a/x', 3);
    put('a/y', undefined);
    await reader.confirm();
    assert.deepEqual(told.slice(1), ['a/y - 2', 'a/x 1 3', 'a/y 2 -']);
    assert.equal(reader.freshness(), 'confirmed');
    assert.equal(reader.get('', 'pods', 'a', 'x')?.metadata.name, 'x');
    assert.equal(reader.list('', 'pods').length, 1);
    stop();
    await cache.stop();
  });
});
