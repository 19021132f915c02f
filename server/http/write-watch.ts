import type { ServerResponse } from 'node:http';
import { eventEncoder } from '../codecs/watch-events.ts';
import { expired } from '../errors/status-error.ts';
import { selects } from '../registry/list.ts';
import type { Registry } from '../registry/registry.ts';
import { eventOf, type WatchStream } from '../registry/watch-stream.ts';
import type { Negotiated, RequestContext } from './request-context.ts';

/** A watcher is paused when this much waits for its socket, in bytes; it goes on from the history. */
const PAUSE_AT = 256 * 1024;

/** Changes taken from the history in one turn. */
const BATCH = 100;

/** Time between bookmarks, in milliseconds. */
const BOOKMARK_EVERY = 60_000;

/** How long before the server closes the stream the last bookmark goes out, in milliseconds. */
const BOOKMARK_BEFORE_END = 2000;

/** A client that is behind has so long to take the end of its stream, in milliseconds. */
const LAST_WORDS = 5000;

const GONE = 'too old resource version';

/**
 * Streams events until the time is up, the client leaves, the server stops or the history is left behind. Nothing is
 * buffered beyond the socket: a slow client's cursor simply stays where it is. One that reads nothing at all does not
 * keep its stream beyond that.
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
  /** Resolves when there are changes, the client has taken what waited for it, or the stream is over. */
  const something = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  /** Lets a client that is behind catch up, as long as there is something for it to catch up with. */
  const room = async (): Promise<void> => {
    if (response.writableLength <= PAUSE_AT) return;
    while (!ended && !subscription.gone && response.writableNeedDrain) await something();
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
  response.on('drain', notify);
  context.signal.addEventListener('abort', end, { once: true });
  if (context.signal.aborted) end();
  subscription.onReady(notify);

  try {
    for (const item of stream.initial) {
      if (ended) return;
      response.write(encoder.event({ type: 'ADDED', item, revision: item.revision }));
      await room();
    }
    while (!ended) {
      const changes = subscription.next(BATCH);
      if (changes.length === 0 && subscription.gone) {
        response.write(encoder.error(expired(`${GONE}: ${subscription.position}`).status));
        return;
      }
      if (changes.length === 0) {
        await something();
        continue;
      }
      if (changes.length > 1) response.cork();
      for (const change of changes) {
        const event = eventOf(change, matches);
        if (event !== undefined) response.write(encoder.event(event));
      }
      if (changes.length > 1) response.uncork();
      await room();
    }
  } finally {
    for (const timer of timers) clearTimeout(timer);
    context.signal.removeEventListener('abort', end);
    subscription.close();
    response.off('drain', notify);
    const behind = response.writableNeedDrain;
    response.end();
    if (behind) endSoon(response);
  }
}

/** Cuts the connection when the client does not take what is left. */
function endSoon(response: ServerResponse): void {
  const timer = setTimeout(() => response.destroy(), LAST_WORDS);
  response.once('close', () => clearTimeout(timer));
}
