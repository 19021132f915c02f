import { timerMs } from '#base/time/longest-timer.ts';
import {
  type Batch,
  type Change,
  CompactedError,
  type Feed,
  FeedBrokenError,
  type FeedOptions,
  FutureRevisionError,
  type Revision,
} from '#storage/object-store.ts';
import type { Connection } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import { failureOf, RevisionGoneError } from './failure.ts';
import { frameOf } from './grpc-frame.ts';
import type { GrpcStream } from './grpc-stream.ts';
import { keyBytes, prefixEnd } from './keys.ts';
import { oldestRevision } from './oldest-revision.ts';
import { Progress } from './progress.ts';
import { decodeWatch, encodeWatch } from './watch-messages.ts';

/**
 * One watch. It uses another member than the previous watch. The watcher of etcd3 would resume from the revision in the
 * header of an answer. During catch-up that is the revision of the store and not of the watch, so the watcher would
 * skip changes.
 */
export function openFeed(connection: Connection, prefix: string, after: Revision, options: FeedOptions): Feed {
  const progress = new Progress(connection, prefix);
  return {
    requestProgress: () => progress.request(),
    [Symbol.asyncIterator]: () => run(connection, prefix, after, options, progress),
  };
}

async function* run(
  connection: Connection,
  prefix: string,
  after: Revision,
  { signal, previous }: FeedOptions,
  progress: Progress,
): AsyncGenerator<Batch, void, undefined> {
  if (signal.aborted) return;
  const endpoint = connection.endpoints.nextForFeed();
  let stream: GrpcStream | undefined;
  let silent: NodeJS.Timeout | undefined;
  let timedOut = false;
  const stop = () => stream?.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    stream = await endpoint.openWatch();
    if (signal.aborted) return;
    silent = setTimeout(() => {
      timedOut = true;
      stop();
    }, timerMs(connection.settings.openTimeoutMs));
    const range = { key: keyBytes(prefix), end: prefixEnd(prefix) };
    const request = { ...range, from: after + 1, previous: previous === true, fragment: true };
    stream.write(frameOf(encodeWatch(request)));
    let changes: Change[] = [];
    let delivered = after;
    for await (const message of stream) {
      connection.endpoints.traffic.receivedBytes += message.length;
      const answer = decodeWatch(message);
      if (answer.canceled) {
        const oldest = answer.compactRevision;
        throw oldest > 0 ? new CompactedError(oldest) : new FeedBrokenError(answer.cancelReason);
      }
      if (answer.created) {
        await checkStart(connection, endpoint, prefix, after);
        clearTimeout(silent);
        progress.start(endpoint, stream);
        continue;
      }
      if (answer.changes.length === 0) {
        // Only in this case the revision in the header says what has been delivered.
        if (changes.length === 0 && progress.trusted) {
          delivered = Math.max(delivered, answer.revision);
          yield { changes, revision: delivered };
        }
        continue;
      }
      for (const change of answer.changes) changes.push(change);
      // A fragment may end in the middle of a revision.
      if (!answer.fragment) {
        delivered = changes[changes.length - 1]!.revision;
        connection.seeDelivered(delivered);
        const batch = { changes, revision: delivered };
        changes = [];
        yield batch;
      }
    }
    if (!signal.aborted) {
      throw new FeedBrokenError(
        timedOut ? `${endpoint.address} does not answer` : `${endpoint.address} ended the feed`,
      );
    }
  } catch (error) {
    if (!signal.aborted) {
      throw brokenBy(error, timedOut ? `${endpoint.address} does not answer` : endpoint.address);
    }
  } finally {
    clearTimeout(silent);
    signal.removeEventListener('abort', stop);
    progress.stop();
    stop();
  }
}

/**
 * A feed is complete only if its start revision can still be read. etcd itself accepts a watch that starts exactly at
 * the compact revision, although records of deletions are gone there. It also accepts a start in the future, which
 * would skip changes in a restored store.
 */
async function checkStart(connection: Connection, endpoint: Endpoint, prefix: string, after: Revision): Promise<void> {
  if (after === 0) return;
  try {
    const request = { key: keyBytes(prefix), countOnly: true, revision: after };
    await endpoint.kv.range(request, connection.settings.openTimeoutMs);
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind === 'refused' && failure.error instanceof RevisionGoneError) {
      throw new CompactedError(await oldestRevision(connection));
    }
    throw error;
  }
}

function brokenBy(error: unknown, where: string): Error {
  if (error instanceof CompactedError || error instanceof FeedBrokenError) return error;
  const failure = failureOf(error);
  if (failure.kind === 'refused') {
    return failure.error instanceof FutureRevisionError ? failure.error : new FeedBrokenError(failure.error.message);
  }
  return new FeedBrokenError(`${where}: ${failure.message}`);
}
