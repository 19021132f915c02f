import assert from 'node:assert/strict';
import { damageIn } from '../storage-tool.ts';
import { MAPS } from './clients.ts';
import type { DrillSystem } from './system.ts';

/**
 * Asserts that clients saw nothing that contradicts earlier answers, that all acknowledged writes are stored, and that
 * no data in etcd is damaged.
 */
export async function assertNothingLost({ clients, cluster }: DrillSystem): Promise<void> {
  assert.deepEqual(clients.violations, []);
  // The list may lack objects that clients create during the request.
  const acknowledged = [...clients.acknowledged];
  const { items } = JSON.parse((await clients.request('GET', MAPS)).body) as {
    items: { metadata: { uid: string } }[];
  };
  const uids = new Set(items.map(({ metadata }) => metadata.uid));
  const lost = acknowledged.filter(([, uid]) => !uids.has(uid)).map(([name]) => name);
  assert.deepEqual(lost, [], 'an acknowledged write is lost');
  assert.deepEqual(await damageIn(`--etcd-servers=${cluster.endpoints}`), []);
}
