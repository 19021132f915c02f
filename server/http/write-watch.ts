import type { OutgoingResponse } from '../api/exchange.ts';
import { isPromise } from '../api/maybe-promise.ts';
import type { Registry } from '../api/registry.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import { selects } from '../api/selection.ts';
import type { Reading, StoredReading } from '../api/stored-reading.ts';
import { eventOf, type WatchEvent, type WatchStream } from '../api/watch-stream.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { Item, ItemChange } from '../cache/item.ts';
import type { Subscription } from '../cache/resource-cache.ts';
import { type EventEncoder, eventEncoder } from '../codecs/watch-events.ts';
import { expired, leavingServer, StatusError } from '../errors/status-error.ts';

/** A watcher with a connection of its own is paused when this much waits for it, in bytes; it goes on from the history. */
const PAUSE_AT = 256 * 1024;

/** Changes taken from the history at once; few enough to hold on to while a client is behind. */
const BATCH = 32;

/** Objects that a watch begins with are made ready in pieces of so many. */
const INITIAL_BATCH = 500;

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
    response.end(encoder.error(expired(`${GONE}: ${stream.start}`).status));
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

/**
 * Writes what a watch shows, as fast as the client takes it: the objects at its start, then the changes. It is called
 * for every change of every watcher, and so does without promises until the end. It works in the turns that the cache
 * gives out, so that many clients with much to take do not hold up everybody else.
 */
class LiveEvents {
  /** The client is paused when so many bytes wait for it. */
  readonly pauseAt: number;
  readonly #response: OutgoingResponse;
  readonly #initial: readonly Item[];
  /** The revision of the bookmark that is due at their end. */
  #mark: number | undefined;
  readonly #subscription: Subscription;
  readonly #encoder: EventEncoder;
  readonly #matches: (item: Item) => boolean;
  readonly #objects: StoredReading;
  readonly #sent: WatchStream['sent'];
  /** Holds the initial objects up to `#readable`, or the changes in hand. */
  #reading: Reading | undefined;
  #readable = 0;
  /** Objects in hand are being made ready. */
  #waiting = false;
  #shown = 0;
  /** Changes in hand, and how many of them have been written. */
  #changes: readonly ItemChange[] = [];
  #written = 0;
  #paused = false;
  #ended = false;
  #finish: ((error?: unknown) => void) | undefined;

  constructor(
    response: OutgoingResponse,
    { initial, marksInitial, selected, served, sent, start }: WatchStream,
    subscription: Subscription,
    encoder: EventEncoder,
  ) {
    this.#response = response;
    this.pauseAt = response.mayWait ?? PAUSE_AT;
    this.#initial = initial;
    this.#mark = marksInitial ? start : undefined;
    this.#sent = sent;
    this.#subscription = subscription;
    this.#encoder = encoder;
    this.#matches = (item) => selects(selected, item);
    this.#objects = served.reading;
    this.#reading = served.reading.now;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether there is something in hand that the client has not got. */
  get behind(): boolean {
    return this.#begins || this.#written < this.#changes.length;
  }

  /** Whether the client does not have yet what was there at first. */
  get #begins(): boolean {
    return this.#shown < this.#initial.length || this.#mark !== undefined;
  }

  /** Resolves at the end, or when the history has left the watcher behind. Rejects when an event cannot be encoded. */
  send(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#finish = (error) => (error === undefined ? resolve() : reject(error));
      this.#subscription.onReady(() => this.#write());
      this.#subscription.requestTurn();
    });
  }

  /** The client has taken what waited for it. */
  resume(): void {
    this.#paused = false;
    this.#subscription.requestTurn();
  }

  end(error?: unknown): void {
    this.#ended = true;
    this.#finish?.(error);
  }

  #write(): void {
    // a client that is behind waits, as long as there is something for it to catch up with
    if (this.#ended || this.#waiting || (this.#paused && !this.#subscription.gone)) return;
    try {
      const turn = new TimeSlice();
      if (this.#begins) {
        // one write for what comes at once, as far as the client takes it
        this.#response.cork();
        this.#writeInitial(turn);
        this.#markInitial();
        this.#response.uncork();
      }
      this.#writeChanges(turn);
      if (this.#waiting || !this.#subscription.gone) return;
      this.#response.write(this.#encoder.error(expired(`${GONE}: ${this.#subscription.position}`).status));
      this.end();
    } catch (error) {
      this.end(error);
    }
  }

  #writeInitial(turn: TimeSlice): void {
    while (this.#shown < this.#initial.length && !this.#pause(turn)) {
      if (this.#objects.now === undefined && this.#shown === this.#readable) {
        this.#readable = Math.min(this.#initial.length, this.#shown + INITIAL_BATCH);
        if (!this.#makeReady(this.#initial.slice(this.#shown, this.#readable))) return;
      }
      const item = this.#initial[this.#shown++]!;
      this.#send({ type: 'ADDED', item, revision: item.revision });
    }
  }

  #markInitial(): void {
    if (this.#mark === undefined || this.#shown < this.#initial.length) return;
    this.#response.write(this.#encoder.bookmark(this.#mark, true));
    this.#mark = undefined;
  }

  #writeChanges(turn: TimeSlice): void {
    while (!this.#waiting && !this.#pause(turn)) {
      if (this.#written === this.#changes.length) {
        this.#changes = this.#subscription.next(BATCH);
        this.#written = 0;
        if (this.#changes.length === 0) return;
        if (this.#objects.now === undefined && !this.#makeReady(this.#shownBy(this.#changes))) return;
      }
      const corked = this.#changes.length - this.#written > 1;
      if (corked) this.#response.cork();
      while (this.#written < this.#changes.length && this.#response.writableLength <= this.pauseAt) {
        const event = eventOf(this.#changes[this.#written++]!, this.#matches);
        if (event !== undefined) this.#send(event);
      }
      if (corked) this.#response.uncork();
    }
  }

  #send(event: WatchEvent): void {
    const bytes = this.#encoder.event(event, this.#reading!);
    this.#sent?.(bytes.length);
    this.#response.write(bytes);
  }

  /** Has objects read for what is written next. False: there will be another turn when that is done. */
  #makeReady(items: readonly Item[]): boolean {
    const found = this.#objects.ready(items);
    if (!isPromise(found)) {
      this.#reading = found;
      return true;
    }
    this.#waiting = true;
    found.then(
      (reading) => {
        this.#reading = reading;
        this.#waiting = false;
        this.#subscription.requestTurn();
      },
      (error: unknown) => this.#fail(error),
    );
    return false;
  }

  /** The objects of the events that changes make. */
  #shownBy(changes: readonly ItemChange[]): Item[] {
    return changes.flatMap((change) => eventOf(change, this.#matches)?.item ?? []);
  }

  /** Tells the client why the stream ends, where it is something that a client can be told. */
  #fail(error: unknown): void {
    if (this.#ended) return;
    if (!(error instanceof StatusError)) {
      this.end(error);
      return;
    }
    this.#response.write(this.#encoder.error(error.status));
    this.end();
  }

  /** Whether to stop here: `resume` comes when the client has taken what waits for it, or there will be another turn. */
  #pause(turn: TimeSlice): boolean {
    this.#paused = this.#response.writableLength > this.pauseAt && this.#response.writableNeedDrain;
    if (!this.#paused && turn.over) this.#subscription.requestTurn();
    return this.#paused || turn.over;
  }
}

/** Cuts the connection when the client does not take what is left. */
function endSoon(response: OutgoingResponse): void {
  const timer = setTimeout(() => response.destroy(), LAST_WORDS);
  response.once('close', () => clearTimeout(timer));
}
