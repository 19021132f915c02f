import { timerMs } from '#base/time/longest-timer.ts';
import { CompactedError, type Revision, StoreUnavailableError } from '#storage/object-store.ts';
import type { Connection } from './connection.ts';
import { RevisionGoneError } from './failure.ts';
import { frameOf } from './grpc-frame.ts';
import { keyBytes } from './keys.ts';
import { decodeWatch, encodeWatch } from './watch-messages.ts';

/** The oldest revision that can still be read. A feed can still begin after it. */
export async function oldestRevision(connection: Connection): Promise<Revision> {
  const key = keyBytes(`${connection.settings.prefix}/`);
  try {
    await connection.read((kv, timeoutMs) => kv.range({ key, countOnly: true, revision: 1 }, timeoutMs));
    return 1;
  } catch (error) {
    if (!(error instanceof RevisionGoneError)) throw error;
  }
  // Only a watch shows the oldest revision. etcd cancels a watch from the first revision, and its answer has the
  // compact revision.
  let lastMessage = '';
  for (let attempt = 0; attempt <= connection.endpoints.size; attempt++) {
    try {
      return await compactRevision(connection, key);
    } catch (error) {
      lastMessage = error instanceof Error ? error.message : String(error);
    }
  }
  throw new StoreUnavailableError(`the compact revision cannot be found out: ${lastMessage}`);
}

async function compactRevision(connection: Connection, key: Buffer): Promise<Revision> {
  const stream = await connection.endpoints.nextForFeed().openWatch();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stream.close();
  }, timerMs(connection.settings.openTimeoutMs));
  try {
    stream.write(frameOf(encodeWatch({ key, from: 1 })));
    for await (const message of stream) {
      const { canceled, compactRevision: revision, cancelReason } = decodeWatch(message);
      if (canceled) {
        if (revision > 0) return revision;
        throw new Error(cancelReason);
      }
    }
    throw new Error(late ? 'the watch was not cancelled in time' : 'the watch ended');
  } finally {
    clearTimeout(timer);
    stream.close();
  }
}

/** Turns the failure of a read of a compacted revision into the error that names the oldest revision. */
export async function naming<T>(connection: Connection, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RevisionGoneError) throw new CompactedError(await oldestRevision(connection));
    throw error;
  }
}
