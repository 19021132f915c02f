import type { ServerResponse } from 'node:http';
import { eventEncoder } from '../codecs/watch-events.ts';
import { expired } from '../errors/status-error.ts';
import { selects } from '../registry/list.ts';
import type { Registry } from '../registry/registry.ts';
import { eventOf, type WatchStream } from '../registry/watch-stream.ts';
import type { Negotiated, RequestContext } from './request-context.ts';
import { drained } from './write-answer.ts';

/** A watcher is paused when this much waits for its socket, in bytes; it goes on from the history. */
const PAUSE_AT = 256 * 1024;

/** Changes taken from the history in one turn. */
const BATCH = 100;

/** Time between bookmarks, in milliseconds. */
const BOOKMARK_EVERY = 60_000;

/** How long before the server closes the stream the last bookmark goes out, in milliseconds. */
const BOOKMARK_BEFORE_END = 2000;

const GONE = 'too old resource version';

/**
 * Streams events until the time is up, the client leaves, the server stops or the history is left behind. Nothing is
 * buffered beyond the socket: a slow client's cursor simply stays where it is.
 */
export async function writeWatch(
  response: ServerResponse,
  stream: WatchStream,
  negotiated: Negotiated,
  context: RequestContext,
  registry: Registry,
): Promise<void> {
  const encoder = eventEncoder(registry, stream.served, negotiated, context);
  response.setHeader('Content-Type', encoder.contentType);
  response.writeHead(200);
  response.flushHeaders();
  const { subscription } = stream;
  if (negotiated.as === 'PartialObjectMetadataList') {
    // no event is a list: there is nothing that could be sent
    subscription?.close();
    response.end();
    return;
  }
  if (subscription === undefined) {
    response.end(encoder.error(expired(`${GONE}: ${stream.start}`).status));
    return;
  }
  const matches = (item: Parameters<typeof selects>[1]): boolean => selects(stream.selected, item);
  let wake: (() => void) | undefined;
  let ended = false;
  let bookmarked = stream.start;
  const notify = (): void => {
    const resume = wake;
    wake = undefined;
    resume?.();
  };
  const end = (): void => {
    ended = true;
    notify();
  };
  const bookmark = (): void => {
    const { position } = subscription;
    if (ended || position <= bookmarked || response.writableLength > PAUSE_AT) return;
    bookmarked = position;
    response.write(encoder.bookmark(position));
  };
  const timers = [setTimeout(end, stream.timeoutMs)];
  if (stream.bookmarks) {
    timers.push(setInterval(bookmark, BOOKMARK_EVERY));
    const last = stream.timeoutMs - BOOKMARK_BEFORE_END;
    if (last > 0) timers.push(setTimeout(bookmark, last));
  }
  response.once('close', end);
  context.signal.addEventListener('abort', end, { once: true });
  if (context.signal.aborted) end();
  subscription.onReady(notify);

  try {
    for (const item of stream.initial) {
      if (ended) return;
      response.write(encoder.event({ type: 'ADDED', item, revision: item.revision }));
      if (response.writableLength > PAUSE_AT && !(await drained(response))) return;
    }
    while (!ended) {
      const changes = subscription.next(BATCH);
      if (changes.length === 0 && subscription.gone) {
        response.write(encoder.error(expired(`${GONE}: ${subscription.position}`).status));
        return;
      }
      if (changes.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      if (changes.length > 1) response.cork();
      for (const change of changes) {
        const event = eventOf(change, matches);
        if (event !== undefined) response.write(encoder.event(event));
      }
      if (changes.length > 1) response.uncork();
      if (response.writableLength > PAUSE_AT && !(await drained(response))) return;
    }
  } finally {
    for (const timer of timers) clearTimeout(timer);
    context.signal.removeEventListener('abort', end);
    subscription.close();
    response.end();
  }
}
