import type { Write } from '#storage/object-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';

/** Writes in one transaction of etcd. */
const BATCH = 100;

/**
 * Puts objects into the store, past the API: a hundred thousand creates would take minutes. Keys are without the
 * prefix.
 */
export async function fill(etcd: string, objects: Iterable<readonly [key: string, object: object]>): Promise<void> {
  const store = createEtcdStore({ endpoints: [etcd], prefix: '/registry' });
  let writes: Write[] = [];
  for (const [key, object] of objects) {
    writes.push({ key: `/registry/${key}`, value: Buffer.from(JSON.stringify(object)) });
    if (writes.length < BATCH) continue;
    await store.transact([], writes);
    writes = [];
  }
  if (writes.length > 0) await store.transact([], writes);
  await store.close();
}
