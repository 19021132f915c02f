import type { StoreHealth } from '#storage/data-store.ts';
import type { Connection } from './connection.ts';
import { probe } from './current-revision.ts';
import { clusterIdOf } from './kv-messages.ts';

/**
 * Asks etcd whether a majority answers.
 *
 * @throws StoreUnavailableError
 */
export async function health(connection: Connection, timeoutMs?: number): Promise<StoreHealth> {
  const { header } = await probe(connection, timeoutMs);
  return { clusterId: clusterIdOf(header), revision: connection.see(header) };
}
