import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedCache } from '#base/collections/bounded-cache.ts';
import { TokenBucket } from '#base/limits/token-bucket.ts';
import type { Event } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Client } from '../client.ts';
import { ApiError, FencedError, isNotFound } from '../errors.ts';
import { coreV1 } from '../generated/resources.ts';
import { apiVersionOf, type ResourceType } from '../resource-type.ts';

export interface EventRecorderOptions {
  /** The name of the program, or of the part of it that writes the events. */
  readonly component: string;
  /** The signal that stops the sending. Waiting events are then dropped. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How many events about one object may be sent at once (25 by default), and how many per second after that (one in 5
   * minutes).
   */
  readonly burst?: number;
  readonly perSecond?: number;
  /** The time in milliseconds since 1970. */
  readonly now?: () => number;
  /** Called with the error when an event cannot be sent; the recorder continues. */
  readonly onError?: (error: unknown) => void;
}

/** The limit of different messages about one subject within ten minutes. All later messages become one event. */
const SIMILAR = 10;
const SIMILAR_MS = 600_000;
/** The largest number of remembered subjects and events. The least recently used one is forgotten first. */
const MOST_REMEMBERED = 4096;
/** The largest number of waiting events. If there are more, the newest one is dropped. */
const MOST_WAITING = 1000;
const ATTEMPTS = 3;
const RETRY_MS = 5_000;
const LONGEST_NAME = 253;
const LONGEST_MESSAGE = 1024;

/** An event as the server stored it. */
interface RecordedEvent {
  readonly name: string;
  readonly namespace: string;
  uid: string | undefined;
  count: number;
  readonly first: number;
}

/**
 * Writes Events about objects, for users. A repeated event raises the count of the first one. Many messages that differ
 * only in their text become one event. The number of events about one object is limited. Recording never waits and
 * never fails. The recorder sends Events one after the other in the background, and drops an Event that cannot be sent.
 *
 * @example
 * const events = new EventRecorder(client, { component: 'team-controller', signal });
 * events.warn(coreV1.namespaces, namespace, 'NoTeam', 'the label names no team that is known');
 */
export class EventRecorder {
  readonly #client: Client;
  readonly #options: EventRecorderOptions;
  readonly #now: () => number;
  readonly #limits = new BoundedCache<string, TokenBucket>(MOST_REMEMBERED);
  readonly #similar = new BoundedCache<string, { readonly messages: string[]; last: number }>(MOST_REMEMBERED);
  readonly #recorded = new BoundedCache<string, RecordedEvent>(MOST_REMEMBERED);
  readonly #waiting: (() => Promise<void>)[] = [];
  #sending = false;

  constructor(client: Client, options: EventRecorderOptions) {
    this.#client = client;
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Records that something succeeded. */
  normal<T extends ApiObject>(type: ResourceType<T>, object: T, reason: string, message: string): void {
    this.#record('Normal', type as ResourceType, object, reason, message);
  }

  /** Records something that needs a user's attention. */
  warn<T extends ApiObject>(type: ResourceType<T>, object: T, reason: string, message: string): void {
    this.#record('Warning', type as ResourceType, object, reason, message);
  }

  #record(kind: 'Normal' | 'Warning', type: ResourceType, { metadata }: ApiObject, reason: string, text: string): void {
    const { signal, burst = 25, perSecond = 1 / 300, component } = this.#options;
    if (signal?.aborted || this.#waiting.length >= MOST_WAITING) return;
    const { name = '', namespace, uid, resourceVersion } = metadata;
    const apiVersion = apiVersionOf(type, this.#client.naming);
    // The key is short, because recorders remember thousands of keys.
    const object = uid ?? JSON.stringify([apiVersion, type.kind, namespace, name]);
    const limit = remembered(this.#limits, object, () => new TokenBucket(perSecond, burst, this.#now));
    if (!limit.take()) return;
    const now = this.#now();
    const about = `${object} ${kind} ${reason}`;
    const message = this.#combined(about, text.slice(0, LONGEST_MESSAGE), now);
    const id = `${about} ${message.startsWith(COMBINED) ? COMBINED : message}`;
    const time = uniqueTime(now);
    const recorded = remembered(this.#recorded, id, () => ({
      name: `${name.slice(0, LONGEST_NAME - time.length - 1)}.${time}`,
      namespace: namespace ?? 'default',
      uid: undefined,
      count: 0,
      first: now,
    }));
    recorded.count++;
    const { count } = recorded;
    const event: Event = {
      metadata: { name: recorded.name, namespace: recorded.namespace },
      involvedObject: {
        kind: type.kind,
        ...(namespace === undefined ? {} : { namespace }),
        name,
        ...(uid === undefined ? {} : { uid }),
        apiVersion,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      reason,
      message,
      source: { component },
      firstTimestamp: timeOf(recorded.first),
      lastTimestamp: timeOf(now),
      count,
      type: kind,
      reportingComponent: '',
      reportingInstance: '',
    };
    this.#waiting.push(() => this.#send(id, recorded, event));
    if (!this.#sending) void this.#sendAll();
  }

  /** The message. After a certain number of different messages, all messages become one common message. */
  #combined(about: string, message: string, now: number): string {
    const similar = remembered(this.#similar, about, () => ({ messages: [], last: now }));
    const { messages } = similar;
    if (now - similar.last > SIMILAR_MS) messages.length = 0;
    similar.last = now;
    if (messages.includes(message)) return message;
    if (messages.length < SIMILAR) messages.push(message);
    return messages.includes(message) ? message : `${COMBINED}${message}`;
  }

  async #sendAll(): Promise<void> {
    this.#sending = true;
    // Sends in a later turn of the event loop, because the caller may record the same event again in this turn.
    await undefined;
    for (let send = this.#waiting.shift(); send !== undefined; send = this.#waiting.shift()) {
      if (this.#options.signal?.aborted) this.#waiting.length = 0;
      else await send();
    }
    this.#sending = false;
  }

  async #send(id: string, recorded: RecordedEvent, event: Event): Promise<void> {
    const { signal, onError } = this.#options;
    const events = this.#client.resource(coreV1.events).in(recorded.namespace);
    for (let attempt = 1; ; attempt++) {
      try {
        if (recorded.uid !== undefined) {
          const { count, lastTimestamp, message } = event;
          const patch = { metadata: { uid: recorded.uid }, count, lastTimestamp, message };
          try {
            await events.patch(recorded.name, 'merge', patch, { signal });
            return;
          } catch (error) {
            // The server keeps events for about an hour. This event has expired, so the recorder creates it again.
            if (!isNotFound(error)) throw error;
          }
        }
        recorded.uid = (await events.create(event, { signal })).metadata.uid;
        return;
      } catch (error) {
        if (signal?.aborted || error instanceof FencedError) return;
        const refused = error instanceof ApiError && error.code < 500 && error.code !== 429;
        if (refused || attempt >= ATTEMPTS) {
          if (recorded.uid === undefined) this.#recorded.delete(id);
          onError?.(error);
          return;
        }
        await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
  }
}

const COMBINED = '(combined from similar events): ';

let last = 0;
/** A time in nanoseconds that differs at each call. The part below a millisecond is a counter. */
function uniqueTime(ms: number): string {
  last = (last + 1) % 1_000_000;
  return (BigInt(Math.trunc(ms)) * 1_000_000n + BigInt(last)).toString(16);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function remembered<T>(values: BoundedCache<string, T>, key: string, make: () => T): T {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}
