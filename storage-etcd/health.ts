import type { Connection } from './connection.ts';
import { probe } from './current-revision.ts';
import { clusterIdOf } from './kv-messages.ts';
import type { Revision } from './object-store.ts';

/** What one linearizable round trip tells about the store. */
export interface StoreHealth {
  readonly clusterId: string;
  readonly revision: Revision;
}

/**
 * Asks etcd whether a majority answers.
 *
 * @throws StoreUnavailableError
 */
export async function health(connection: Connection, timeoutMs?: number): Promise<StoreHealth> {
  const { header } = await probe(connection, timeoutMs);
  return { clusterId: clusterIdOf(header), revision: connection.see(header) };
}

/**
 * Whether the store behind is another one than before (replaced, or restored from a backup), so that everything
 * remembered about it is void. `now` must have been asked for after `before` was answered.
 */
export function wasReplaced(before: StoreHealth, now: StoreHealth): boolean {
  return before.clusterId !== now.clusterId || now.revision < before.revision;
}
