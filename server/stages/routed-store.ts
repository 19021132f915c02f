import { storageIdOfKey } from '#schema/descriptors/storage-id.ts';
import type { DataStore } from '#storage/data-store.ts';
import { decoratedStore } from '#storage/decorated-store.ts';
import type { Condition, Write } from '#storage/object-store.ts';

/**
 * Several stores as one, for callers that read and write objects by their keys. The objects of the resources in
 * `elsewhere` (by their storage identity) are in separate stores. A transaction is done in the store to which it
 * writes. Its comparisons with keys of another store are left out, so no write may depend only on them. The first store
 * answers questions about the store as a whole. Closing closes all of them.
 *
 * @throws TypeError if a transaction would write to two stores, which is a programming error
 */
export function routedStore(main: DataStore, elsewhere: ReadonlyMap<string, DataStore>, prefix: string): DataStore {
  const all = [...new Set([main, ...elsewhere.values()])];
  const base = prefix.length + 1;
  const of = (key: string): DataStore => {
    const id = storageIdOfKey(key, base);
    return (id === undefined ? undefined : elsewhere.get(id)) ?? main;
  };
  return decoratedStore(main, {
    get: (key, at) => of(key).get(key, at),
    list: (under, page) => of(under).list(under, page),
    count: (under) => of(under).count(under),
    create: (key, value, ttlSeconds) => of(key).create(key, value, ttlSeconds),
    update: (key, expected, value, ttlSeconds) => of(key).update(key, expected, value, ttlSeconds),
    remove: (key, expected) => of(key).remove(key, expected),
    async transact(conditions: readonly Condition[], writes: readonly Write[]) {
      const store = of((writes[0] ?? conditions[0])!.key);
      if (writes.some(({ key }) => of(key) !== store)) throw new TypeError('a transaction cannot write to two stores');
      const here = conditions.filter(({ key }) => of(key) === store);
      const result = await store.transact(here, writes);
      if (result.outcome === 'written' || here.length === conditions.length) return result;
      const current = conditions.map((condition) => result.current[here.indexOf(condition)]);
      return { ...result, current };
    },
    isStale: async (key, revision) => (await of(key).isStale?.(key, revision)) === true,
    feed: (under, after, options) => of(under).feed(under, after, options),
    async settle() {
      await Promise.all(all.map((store) => store.settle()));
    },
    get full() {
      return all.some((store) => store.full);
    },
    get traffic() {
      const sum = { ranges: 0, transactions: 0, sentBytes: 0, receivedBytes: 0 };
      for (const { traffic } of all)
        for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += traffic[name];
      return sum;
    },
    async databaseSizes() {
      const sizes = await Promise.all(all.map((store) => store.databaseSizes()));
      return new Map(sizes.flatMap((some) => [...some]));
    },
    async close() {
      await Promise.all(all.map((store) => store.close()));
    },
  });
}
