import type { Connection } from './connection.ts';
import { failureOf, RevisionGoneError } from './failure.ts';
import type { Revision } from './object-store.ts';
import { StoreUnavailableError } from './object-store.ts';
import { naming } from './oldest-revision.ts';

/**
 * Compacting twice to the same revision does no harm, so a lost answer is an error like any other.
 *
 * One replica does this every few minutes, by etcd3: it is loaded here, because loading it (and grpc-js with it) took a
 * tenth of a replica's start.
 */
export async function compact(connection: Connection, revision: Revision): Promise<void> {
  const { endpoints, settings } = connection;
  const endpoint = endpoints.current();
  try {
    const { createClient, within } = await import('./etcd3-client.ts');
    const client = createClient(endpoint.address, settings);
    try {
      await client.kv.compact({ revision }, within(settings.writeTimeoutMs));
    } finally {
      client.close();
    }
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind !== 'refused') {
      endpoints.failed(endpoint);
      throw new StoreUnavailableError(`etcd did not answer a compaction: ${failure.message}`);
    }
    if (failure.error instanceof RevisionGoneError) {
      await naming(connection, Promise.reject(failure.error));
    }
    throw failure.error;
  }
}
