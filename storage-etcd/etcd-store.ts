import type { DataStore } from '#storage/data-store.ts';
import type { Write } from '#storage/object-store.ts';
import { compact } from './compact.ts';
import { Connection } from './connection.ts';
import { count } from './count.ts';
import { create } from './create.ts';
import { currentRevision } from './current-revision.ts';
import { databaseSizes } from './database-sizes.ts';
import { openFeed } from './feed.ts';
import { get } from './get.ts';
import { health } from './health.ts';
import { list } from './list.ts';
import { oldestRevision } from './oldest-revision.ts';
import { type EtcdStoreOptions, settingsOf } from './options.ts';
import { remove } from './remove.ts';
import { transact } from './transact.ts';
import { update } from './update.ts';

/**
 * Objects in an etcd cluster of version 3.4 or later. Connects when first used; options and defaults in `options.ts`.
 */
export function createEtcdStore(options: EtcdStoreOptions): DataStore {
  const connection = new Connection(settingsOf(options));
  return {
    get: (key, at) => get(connection, key, at),
    list: (prefix, page) => list(connection, prefix, page),
    count: (prefix) => count(connection, prefix),
    create: (key, value, ttlSeconds) => create(connection, put(key, value, ttlSeconds)),
    update: (key, expected, value, ttlSeconds) => update(connection, expected, put(key, value, ttlSeconds)),
    remove: (key, expected) => remove(connection, key, expected),
    transact: (conditions, writes) => transact(connection, conditions, writes),
    currentRevision: () => currentRevision(connection),
    oldestRevision: () => oldestRevision(connection),
    feed: (prefix, after, feedOptions) => openFeed(connection, prefix, after, feedOptions),
    compact: (revision) => compact(connection, revision),
    settle: () => connection.fence.settle(),
    clusterId: async () => (await health(connection)).clusterId,
    health: (timeoutMs) => health(connection, timeoutMs),
    get full() {
      return connection.space.full;
    },
    get traffic() {
      return connection.endpoints.traffic;
    },
    databaseSizes: () => databaseSizes(connection),
    close: async () => connection.endpoints.close(),
  };
}

function put(key: string, value: Uint8Array, ttlSeconds: number | undefined): Write {
  return ttlSeconds === undefined ? { key, value } : { key, value, ttlSeconds };
}
