import type { OutgoingResponse } from '../api/exchange.ts';
import type { Registry } from '../api/registry.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import type { WatchStream } from '../api/watch-stream.ts';
import { eventEncoder } from '../codecs/watch-events.ts';
import { leavingServer } from '../errors/status-error.ts';
import { LiveEvents, tooOld } from './live-events.ts';

/** Time between bookmarks, in milliseconds. */
const BOOKMARK_EVERY = 60_000;

/** How long before the server closes the stream the last bookmark goes out, in milliseconds. */
const BOOKMARK_BEFORE_END = 2000;

/** A client that is behind has so long to take the end of its stream, in milliseconds. */
const LAST_WORDS = 5000;

/**
 * Streams events until the time is up, the client leaves, the server stops or the history is left behind. Nothing is
 * buffered beyond the socket: a slow client's cursor simply stays where it is. One that reads nothing at all does not
 * keep its stream beyond that. Throws 429 on a server that leaves: an empty stream would have the client begin anew.
 */
export async function writeWatch(
  response: OutgoingResponse,
  stream: WatchStream,
  negotiated: Negotiated,
  context: RequestContext,
  registry: Registry,
): Promise<void> {
  const { subscription } = stream;
  if (context.leaving.aborted) {
    subscription?.close();
    throw leavingServer();
  }
  const encoder = eventEncoder(registry, stream.served, negotiated, context);
  response.setHeader('Content-Type', encoder.contentType);
  response.writeHead(200);
  response.flushHeaders();
  if (negotiated.as === 'PartialObjectMetadataList') {
    // no event is a list: there is nothing that could be sent
    subscription?.close();
    response.end();
    return;
  }
  if (subscription === undefined) {
    response.end(encoder.error(tooOld(stream.start).status));
    return;
  }
  const live = new LiveEvents(response, stream, subscription, encoder);
  let bookmarked = stream.start;
  const bookmark = (): void => {
    const { position } = subscription;
    if (live.ended || live.behind || position <= bookmarked || response.writableLength > live.pauseAt) return;
    bookmarked = position;
    response.write(encoder.bookmark(position));
  };
  const end = (): void => live.end();
  const drain = (): void => live.resume();
  const timers = [setTimeout(end, stream.timeoutMs)];
  if (stream.bookmarks) {
    timers.push(setInterval(bookmark, BOOKMARK_EVERY));
    const last = stream.timeoutMs - BOOKMARK_BEFORE_END;
    if (last > 0) timers.push(setTimeout(bookmark, last));
  }
  response.once('close', end);
  response.on('drain', drain);
  const leave = (): void => {
    if (stream.bookmarks) bookmark();
    end();
  };
  const leaving = AbortSignal.any([context.leaving]);
  leaving.addEventListener('abort', leave, { once: true });
  if (response.destroyed) end();

  try {
    await live.send();
  } finally {
    for (const timer of timers) clearTimeout(timer);
    leaving.removeEventListener('abort', leave);
    subscription.close();
    response.off('drain', drain);
    const behind = response.writableNeedDrain;
    response.end();
    if (behind) endSoon(response);
  }
}

/** Cuts the connection when the client does not take what is left. */
function endSoon(response: OutgoingResponse): void {
  const timer = setTimeout(() => response.destroy(), LAST_WORDS);
  response.once('close', () => clearTimeout(timer));
}
