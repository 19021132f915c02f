import type { Revision } from '#storage/object-store.ts';
import { StoreUnavailableError } from '#storage/object-store.ts';
import type { Connection } from './connection.ts';
import { failureOf, RevisionGoneError } from './failure.ts';
import { naming } from './oldest-revision.ts';

/** A second compaction to the same revision does no harm. So a lost answer is reported like any other error. */
export async function compact(connection: Connection, revision: Revision): Promise<void> {
  const { endpoints, settings } = connection;
  const endpoint = endpoints.current();
  try {
    await endpoint.kv.compact(revision, settings.writeTimeoutMs);
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind !== 'refused') {
      endpoints.failed(endpoint);
      throw new StoreUnavailableError(`etcd did not answer a compaction: ${failure.message}`);
    }
    if (failure.error instanceof RevisionGoneError) await naming(connection, Promise.reject(failure.error));
    throw failure.error;
  }
}
