import { AsyncLocalStorage } from 'node:async_hooks';
import { leavingServer } from '#base/errors/status-error.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import type { WatchStream } from '../api/watch-stream.ts';
import type { StreamOutput } from '../api/web-socket.ts';
import type { Subscription } from '../cache/resource-cache.ts';
import { type EventEncoder, eventEncoder } from '../codecs/watch-events.ts';
import type { Registry } from '../resources/registry.ts';
import { LiveEvents, tooOld } from './live-events.ts';
import type { Running, RunningWatches } from './running-watches.ts';
import { nextMoment } from './watch-times.ts';

/** How long a slow client may take to read the end of its stream, in milliseconds. */
const LAST_WORDS = 5000;

/** A process that continues until a call ends it. */
export interface Ending {
  end(): void;
}

/** Called once at the end of a watch. It gets an error if the watch broke. */
export type WatchEnded = (error?: unknown) => void;

/**
 * Starts to stream events. The stream ends at the time limit, when the client disconnects, when the server stops, or
 * when the history is lost. Nothing is buffered beyond the socket, because the cursor of a slow client stays at its
 * position. A client that reads nothing at all loses its stream at that end.
 *
 * A watch lasts for hours, and a server has thousands of them. So no function waits for its end, and nothing of its
 * request stays in memory. Returns the watch, which the caller ends when the client disconnects; undefined if it has
 * already ended.
 *
 * @throws StatusError (429) if the server is stopping, because an empty stream would make the client list again
 */
export function writeWatch(
  response: StreamOutput,
  stream: WatchStream,
  negotiated: Negotiated,
  context: RequestContext,
  registry: Registry,
  running: RunningWatches,
  ended: WatchEnded,
): Ending | undefined {
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
    // No event is a list, so there is nothing to send.
    subscription?.close();
    response.end();
    ended();
    return undefined;
  }
  if (subscription === undefined) {
    response.end(encoder.error(tooOld(stream.start).status));
    ended();
    return undefined;
  }
  const watch = new RunningWatch(response, stream, subscription, encoder, running, ended);
  watch.begin();
  return watch;
}

/** A watch from its beginning to its end. */
class RunningWatch implements Ending, Running {
  readonly #response: StreamOutput;
  readonly #subscription: Subscription;
  readonly #encoder: EventEncoder;
  readonly #running: RunningWatches;
  readonly #ended: WatchEnded;
  readonly #live: LiveEvents;
  readonly #bookmarks: boolean;
  readonly #timeoutMs: number;
  /** The revision of the last bookmark. */
  #bookmarked: number;
  /** The time since the beginning at which the timer fires, in milliseconds. */
  #moment = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    response: StreamOutput,
    stream: WatchStream,
    subscription: Subscription,
    encoder: EventEncoder,
    running: RunningWatches,
    ended: WatchEnded,
  ) {
    this.#response = response;
    this.#subscription = subscription;
    this.#encoder = encoder;
    this.#running = running;
    this.#ended = ended;
    this.#bookmarks = stream.bookmarks;
    this.#timeoutMs = stream.timeoutMs;
    this.#bookmarked = stream.start;
    this.#live = new LiveEvents(response, stream, subscription, encoder, this);
  }

  begin(): void {
    const live = this.#live;
    this.#running.add(this);
    this.#response.on('drain', () => live.resume());
    this.#setTimer();
    if (this.#response.destroyed) live.end();
    else live.begin();
  }

  end(): void {
    this.#live.end();
  }

  leave(): void {
    if (this.#bookmarks) this.#bookmark();
    this.#live.end();
  }

  /** Called when the events have ended. */
  ended(error?: unknown): void {
    clearTimeout(this.#timer);
    this.#running.delete(this);
    this.#subscription.close();
    const behind = this.#response.writableNeedDrain;
    if (error === undefined) {
      this.#response.end();
      if (behind) endSoon(this.#response);
    }
    this.#ended(error);
  }

  onTime(): void {
    if (this.#moment >= this.#timeoutMs) {
      this.#live.end();
      return;
    }
    this.#bookmark();
    this.#setTimer();
  }

  #setTimer(): void {
    const next = this.#bookmarks ? nextMoment(this.#moment, this.#timeoutMs) : this.#timeoutMs;
    const inMs = next - this.#moment;
    // A timer keeps the request context of the code that created it.
    this.#timer = outsideRequests(() => setTimeout(onTime, timerMs(inMs), this));
    this.#moment = next;
  }

  #bookmark(): void {
    const { position } = this.#subscription;
    const live = this.#live;
    if (live.ended || live.behind || position <= this.#bookmarked) return;
    if (this.#response.writableLength > live.pauseAt) return;
    this.#bookmarked = position;
    this.#response.write(this.#encoder.bookmark(position));
  }
}

const outsideRequests = AsyncLocalStorage.snapshot();

function onTime(watch: RunningWatch): void {
  watch.onTime();
}

/** Cuts the connection if the client does not read the rest. */
function endSoon(response: StreamOutput): void {
  const timer = setTimeout(() => response.destroy(), LAST_WORDS);
  response.once('close', () => clearTimeout(timer));
}
