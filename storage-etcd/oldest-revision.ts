import type { IWatchResponse } from 'etcd3';
import { streamOptions } from './client.ts';
import type { Connection } from './connection.ts';
import { RevisionGoneError } from './failure.ts';
import { keyBytes } from './keys.ts';
import { CompactedError, type Revision, StoreUnavailableError } from './object-store.ts';

/** The oldest revision that can still be read; changes after it can still be fed. */
export async function oldestRevision(connection: Connection): Promise<Revision> {
  const key = keyBytes(`${connection.settings.prefix}/`);
  try {
    await connection.read((kv, timeoutMs) => kv.range({ key, countOnly: true, revision: 1 }, timeoutMs));
    return 1;
  } catch (error) {
    if (!(error instanceof RevisionGoneError)) {
      throw error;
    }
  }
  // Only a watch tells: one from the first revision is cancelled with the compact revision.
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
  const { client } = connection.endpoints.openStreamClient();
  try {
    const stream = await client.watchClient.watch(streamOptions);
    try {
      return await new Promise<Revision>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error('the watch was not cancelled in time')),
          connection.settings.openTimeoutMs,
        );
        const settle = (finish: () => void) => {
          clearTimeout(timer);
          finish();
        };
        stream.on('data', (response: IWatchResponse) => {
          if (response.canceled) {
            const revision = Number(response.compact_revision);
            settle(() => (revision > 0 ? resolve(revision) : reject(new Error(response.cancel_reason))));
          }
        });
        stream.on('error', (error: Error) => settle(() => reject(error)));
        stream.on('end', () => settle(() => reject(new Error('the watch ended'))));
        stream.write({ create_request: { key, start_revision: 1 } });
      });
    } finally {
      stream.end();
      stream.cancel();
    }
  } finally {
    client.close();
  }
}

/** Answers a read of a compacted revision with the error that names the oldest one. */
export async function naming<T>(connection: Connection, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RevisionGoneError) {
      throw new CompactedError(await oldestRevision(connection));
    }
    throw error;
  }
}
