import { expired, StatusError } from '#base/errors/status-error.ts';
import { type Clock, TimeSlice } from '#base/time/time-slice.ts';
import type { OutgoingResponse } from '../api/exchange.ts';
import { isPromise } from '../api/maybe-promise.ts';
import type { Selection } from '../api/selection.ts';
import type { Reading, StoredReading } from '../api/stored-reading.ts';
import { eventOf, type WatchEvent, type WatchStream } from '../api/watch-stream.ts';
import type { Item, ItemChange } from '../cache/item.ts';
import type { Subscription } from '../cache/resource-cache.ts';
import type { EventEncoder } from '../codecs/watch-events.ts';

/**
 * If this number of bytes waits for its client, a watcher with its own connection pauses. It later continues from the
 * history.
 */
const PAUSE_AT = 256 * 1024;

/**
 * The number of changes that are taken from the history at once. It is small, because they stay in memory while a
 * client is behind.
 */
const BATCH = 32;

/** The number of initial objects that are prepared at once. */
const INITIAL_BATCH = 500;

const NONE: readonly Item[] = [];

/** The error for a client that needs changes that the history no longer has. */
export function tooOld(revision: number): StatusError {
  return expired(`too old resource version: ${revision}`);
}

/**
 * The reason why a watcher stopped at the end of its turn. It waits for the next change, for its client to read, for
 * objects to be prepared, or for its next turn. Except for the last, these events call the watcher again.
 */
type Waits = 'change' | 'client' | 'objects' | 'turn';

/** The output of a watch. */
export type EventSink = Pick<
  OutgoingResponse,
  'cork' | 'mayWait' | 'uncork' | 'writableLength' | 'writableNeedDrain' | 'write'
>;

/** The owner of the events. */
export interface EventsOwner {
  /** Called when there are no more events. It gets an error if they ended early. */
  ended(error?: unknown): void;
}

/** The attributes of a watch that select its events. */
export type WatchedEvents = Pick<WatchStream, 'initial' | 'marksInitial' | 'selected' | 'sent' | 'start'> & {
  readonly served: Pick<WatchStream['served'], 'reading'>;
};

/**
 * Writes the events of a watch as fast as the client reads: first the initial objects, then the changes. It runs for
 * every change of every watcher, so it uses no promises until the end. The cache gives it turns, so that many clients
 * with many events do not delay other clients.
 */
export class LiveEvents {
  /** The number of waiting bytes at which the client is paused. */
  readonly pauseAt: number;
  readonly #response: EventSink;
  #initial: readonly Item[];
  /** The revision of the bookmark at their end. */
  #mark: number | undefined;
  readonly #subscription: Subscription;
  readonly #encoder: EventEncoder;
  readonly #owner: EventsOwner;
  readonly #selected: Selection;
  readonly #objects: StoredReading;
  readonly #sent: WatchStream['sent'];
  readonly #clock: Clock | undefined;
  /** The initial objects up to `#readable`, or the current changes, ready for reading. */
  #reading: Reading | undefined;
  #readable = 0;
  /** Whether the current objects are being prepared. */
  #waiting = false;
  #shown = 0;
  /** The current changes, and how many of them have been written. */
  #changes: readonly ItemChange[] = [];
  #written = 0;
  #ended = false;

  constructor(
    response: EventSink,
    { initial, marksInitial, selected, served, sent, start }: WatchedEvents,
    subscription: Subscription,
    encoder: EventEncoder,
    owner: EventsOwner,
    clock?: Clock,
  ) {
    this.#response = response;
    this.pauseAt = response.mayWait ?? PAUSE_AT;
    this.#initial = initial.length === 0 ? NONE : initial;
    this.#mark = marksInitial ? start : undefined;
    this.#sent = sent;
    this.#subscription = subscription;
    this.#encoder = encoder;
    this.#owner = owner;
    this.#selected = selected;
    this.#objects = served.reading;
    this.#reading = served.reading.now;
    this.#clock = clock;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether some current events have not been written. */
  get behind(): boolean {
    return this.#begins || this.#written < this.#changes.length;
  }

  /** Whether some initial objects have not been written. */
  get #begins(): boolean {
    return this.#shown < this.#initial.length || this.#mark !== undefined;
  }

  begin(): void {
    this.#subscription.onReady(() => this.#turn());
    this.#subscription.requestTurn();
  }

  /** Called when the client has read the waiting data. */
  resume(): void {
    this.#subscription.requestTurn();
  }

  /**
   * Ends the watch: at its time limit, when the history no longer contains its position, or when an event cannot be
   * encoded.
   */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#owner.ended(error);
  }

  /** A turn starts and ends only here. A watcher that no event will call again requests another turn here. */
  #turn(): void {
    if (this.#ended || this.#waiting) return;
    try {
      const waits = this.#write(new TimeSlice(this.#clock));
      if (waits === 'objects') return;
      if (this.#subscription.gone) {
        this.#response.write(this.#encoder.error(tooOld(this.#subscription.position).status));
        this.end();
      } else if (waits === 'turn') this.#subscription.requestTurn();
    } catch (error) {
      this.end(error);
    }
  }

  /**
   * Writes at least one piece, however late it is. Otherwise it could request turns without end and make no progress.
   */
  #write(turn: TimeSlice): Waits {
    if (this.#begins) {
      // It uses one write for all events that are ready, as far as the client accepts data.
      this.#response.cork();
      const waits = this.#writeInitial(turn);
      this.#response.uncork();
      if (waits !== undefined) return waits;
    }
    return this.#writeChanges(turn);
  }

  /** Writes the initial events as far as the client accepts them. Undefined means that all of them are written. */
  #writeInitial(turn: TimeSlice): Waits | undefined {
    while (this.#shown < this.#initial.length) {
      if (this.#isFull) return 'client';
      if (this.#objects.now === undefined && this.#shown === this.#readable) {
        this.#readable = Math.min(this.#initial.length, this.#shown + INITIAL_BATCH);
        if (!this.#makeReady(this.#initial.slice(this.#shown, this.#readable))) return 'objects';
      }
      const item = this.#initial[this.#shown++]!;
      this.#send({ type: 'ADDED', item, revision: item.revision });
      if (turn.over) return 'turn';
    }
    if (this.#mark !== undefined) this.#response.write(this.#encoder.bookmark(this.#mark, true));
    this.#mark = undefined;
    // The watch may last for hours. So it releases the initial objects, because they may be replaced soon.
    this.#initial = NONE;
    this.#shown = 0;
    return undefined;
  }

  #writeChanges(turn: TimeSlice): Waits {
    for (;;) {
      if (this.#isFull) return 'client';
      if (this.#written === this.#changes.length) {
        this.#changes = this.#subscription.next(BATCH);
        this.#written = 0;
        if (this.#changes.length === 0) return 'change';
        if (this.#objects.now === undefined && !this.#makeReady(this.#shownBy(this.#changes))) return 'objects';
      }
      const corked = this.#changes.length - this.#written > 1;
      if (corked) this.#response.cork();
      do {
        const event = eventOf(this.#changes[this.#written++]!, this.#selected);
        if (event !== undefined) this.#send(event);
      } while (this.#written < this.#changes.length && this.#response.writableLength <= this.pauseAt);
      if (corked) this.#response.uncork();
      if (turn.over) return 'turn';
    }
  }

  #send(event: WatchEvent): void {
    const bytes = this.#encoder.event(event, this.#reading!);
    this.#sent?.(bytes.length);
    this.#response.write(bytes);
  }

  /** Prepares the next objects. False if another turn follows when they are ready. */
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

  /** The objects that the events of changes show. */
  #shownBy(changes: readonly ItemChange[]): Item[] {
    return changes.flatMap((change) => eventOf(change, this.#selected)?.item ?? []);
  }

  /** Sends the client the reason why the stream ends, if the client may know it. */
  #fail(error: unknown): void {
    if (this.#ended) return;
    if (!(error instanceof StatusError)) {
      this.end(error);
      return;
    }
    this.#response.write(this.#encoder.error(error.status));
    this.end();
  }

  /** Whether the client must first read something. It then calls `resume`. */
  get #isFull(): boolean {
    return this.#response.writableLength > this.pauseAt && this.#response.writableNeedDrain;
  }
}
