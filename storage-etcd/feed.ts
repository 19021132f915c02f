import type { IDuplexStream, IEvent, IWatchRequest, IWatchResponse } from 'etcd3';
import { streamOptions } from './client.ts';
import type { Connection } from './connection.ts';
import type { Endpoint } from './endpoints.ts';
import { failureOf, RevisionGoneError } from './failure.ts';
import { keyBytes, prefixEnd, toStored } from './keys.ts';
import {
  type Batch,
  type Change,
  CompactedError,
  type Feed,
  FeedBrokenError,
  type FeedOptions,
  FutureRevisionError,
  type Revision,
} from './object-store.ts';
import { oldestRevision } from './oldest-revision.ts';
import { Progress } from './progress.ts';

type WatchStream = IDuplexStream<IWatchRequest, IWatchResponse>;

/**
 * One watch on etcd's raw stream. etcd3's own watcher resumes from the revision in a response's header, which during
 * catch-up is the store's and not the watch's, and so skips changes.
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
  if (signal.aborted) {
    return;
  }
  const endpoint = connection.endpoints.openStreamClient();
  let stream: WatchStream | undefined;
  let silent: NodeJS.Timeout | undefined;
  let timedOut = false;
  const stop = () => stream && close(stream);
  signal.addEventListener('abort', stop, { once: true });
  try {
    stream = await endpoint.client.watchClient.watch(streamOptions);
    if (signal.aborted) {
      return;
    }
    silent = setTimeout(() => {
      timedOut = true;
      stop();
    }, connection.settings.openTimeoutMs);
    stream.write({
      create_request: {
        key: keyBytes(prefix),
        range_end: prefixEnd(prefix),
        start_revision: after + 1,
        prev_kv: previous === true,
        fragment: true,
      },
    });
    let changes: Change[] = [];
    let delivered = after;
    for await (const response of responses(stream)) {
      if (response.canceled) {
        const oldest = Number(response.compact_revision);
        throw oldest > 0 ? new CompactedError(oldest) : new FeedBrokenError(response.cancel_reason);
      }
      if (response.created) {
        await checkStart(connection, endpoint, prefix, after);
        clearTimeout(silent);
        progress.start(endpoint, stream);
        continue;
      }
      if (response.events.length === 0) {
        // Only here does the header's revision say what has been delivered.
        if (changes.length === 0 && progress.trusted) {
          delivered = Math.max(delivered, Number(response.header.revision));
          yield { changes, revision: delivered };
        }
        continue;
      }
      for (const event of response.events) {
        changes.push(toChange(event));
      }
      // A fragment may end in the middle of a revision.
      if (!response.fragment) {
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
    endpoint.client.close();
  }
}

/** The stream's messages; reading stops the sender when nobody takes them. */
function responses(stream: WatchStream): AsyncIterable<IWatchResponse> {
  return stream as unknown as AsyncIterable<IWatchResponse>;
}

/** Ends the stream in the order that leaves the channel in peace, and ignores that it then reports being cancelled. */
function close(stream: WatchStream): void {
  stream.on('error', () => {});
  stream.end();
  stream.cancel();
}

/**
 * A feed is complete only from a revision that can still be read. etcd itself accepts a watch that starts right at
 * the compact revision, where the traces of deletions are gone, and one that starts in the future, which in a restored
 * store would skip changes.
 */
async function checkStart(connection: Connection, endpoint: Endpoint, prefix: string, after: Revision): Promise<void> {
  if (after === 0) {
    return;
  }
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

function toChange({ type, kv, prev_kv: before }: IEvent): Change {
  const revision = Number(kv.mod_revision);
  const previous = before ? toStored(before) : undefined;
  return type === 'Put'
    ? {
        key: kv.key.toString(),
        revision,
        value: kv.value,
        createRevision: Number(kv.create_revision),
        previous,
      }
    : {
        key: kv.key.toString(),
        revision,
        value: undefined,
        createRevision: before ? Number(before.create_revision) : 0,
        previous,
      };
}

function brokenBy(error: unknown, where: string): Error {
  if (error instanceof CompactedError || error instanceof FeedBrokenError) {
    return error;
  }
  const failure = failureOf(error);
  if (failure.kind === 'refused') {
    return failure.error instanceof FutureRevisionError ? failure.error : new FeedBrokenError(failure.error.message);
  }
  return new FeedBrokenError(`${where}: ${failure.message}`);
}
