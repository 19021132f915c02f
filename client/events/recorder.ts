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
  /** Who tells: the name of the program or of its part. */
  readonly component: string;
  /** Ends the sending; what waits then is dropped. */
  readonly signal?: AbortSignal | undefined;
  /** Events about one object at once (25 by default), and how many more a second from then on (one in 5 minutes). */
  readonly burst?: number;
  readonly perSecond?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Called with what could not be sent; events are never worth stopping for. */
  readonly onError?: (error: unknown) => void;
}

/** Different messages about the same matter within ten minutes of which the next ones count as one event. */
const SIMILAR = 10;
const SIMILAR_MS = 600_000;
/** Matters and events remembered; the one that was not told of for the longest time is forgotten first. */
const MOST_REMEMBERED = 4096;
/** Events that wait to be sent; more are dropped, the newest first. */
const MOST_WAITING = 1000;
const ATTEMPTS = 3;
const RETRY_MS = 5_000;
const LONGEST_NAME = 253;
const LONGEST_MESSAGE = 1024;

/** An event as the server was told of it. */
interface Told {
  readonly name: string;
  readonly namespace: string;
  uid: string | undefined;
  count: number;
  readonly first: number;
}

/**
 * Tells users about objects by Events. What is told again becomes a higher count of the first Event; many messages that
 * differ only in their text become one; and there is a limit for each object. Telling never waits and never fails: Events
 * are sent one after the other in the background, and dropped where that does not work.
 * ```ts
 * const events = new EventRecorder(client, { component: 'team-controller', signal });
 * events.warn(coreV1.namespaces, namespace, 'NoTeam', 'the label names no team that is known');
 * ```
 */
export class EventRecorder {
  readonly #client: Client;
  readonly #options: EventRecorderOptions;
  readonly #now: () => number;
  readonly #limits = new BoundedCache<string, TokenBucket>(MOST_REMEMBERED);
  readonly #similar = new BoundedCache<string, { messages: Set<string>; last: number }>(MOST_REMEMBERED);
  readonly #told = new BoundedCache<string, Told>(MOST_REMEMBERED);
  readonly #waiting: (() => Promise<void>)[] = [];
  #sending = false;

  constructor(client: Client, options: EventRecorderOptions) {
    this.#client = client;
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Tells of something that is as it should be. */
  normal<T extends ApiObject>(type: ResourceType<T>, object: T, reason: string, message: string): void {
    this.#record('Normal', type as ResourceType, object, reason, message);
  }

  /** Tells of something that somebody should look at. */
  warn<T extends ApiObject>(type: ResourceType<T>, object: T, reason: string, message: string): void {
    this.#record('Warning', type as ResourceType, object, reason, message);
  }

  #record(kind: 'Normal' | 'Warning', type: ResourceType, { metadata }: ApiObject, reason: string, text: string): void {
    const { signal, burst = 25, perSecond = 1 / 300, component } = this.#options;
    if (signal?.aborted || this.#waiting.length >= MOST_WAITING) return;
    const { name = '', namespace, uid, resourceVersion } = metadata;
    const apiVersion = apiVersionOf(type, this.#client.naming);
    const object = JSON.stringify([apiVersion, type.kind, namespace, name, uid]);
    const limit = remembered(this.#limits, object, () => new TokenBucket(perSecond, burst, this.#now));
    if (!limit.take()) return;
    const now = this.#now();
    const about = JSON.stringify([object, kind, reason]);
    const message = this.#combined(about, text.slice(0, LONGEST_MESSAGE), now);
    const id = JSON.stringify([about, message.startsWith(COMBINED) ? COMBINED : message]);
    const time = uniqueTime(now);
    const told = remembered(this.#told, id, () => ({
      name: `${name.slice(0, LONGEST_NAME - time.length - 1)}.${time}`,
      namespace: namespace ?? 'default',
      uid: undefined,
      count: 0,
      first: now,
    }));
    told.count++;
    const { count } = told;
    const event: Event = {
      metadata: { name: told.name, namespace: told.namespace },
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
      firstTimestamp: timeOf(told.first),
      lastTimestamp: timeOf(now),
      count,
      type: kind,
      reportingComponent: '',
      reportingInstance: '',
    };
    this.#waiting.push(() => this.#send(id, told, event));
    if (!this.#sending) void this.#sendAll();
  }

  /** The message, or from a certain number of different ones on the one that stands for all of them. */
  #combined(about: string, message: string, now: number): string {
    const similar = remembered(this.#similar, about, () => ({ messages: new Set<string>(), last: now }));
    if (now - similar.last > SIMILAR_MS) similar.messages.clear();
    similar.last = now;
    if (similar.messages.size < SIMILAR) similar.messages.add(message);
    return similar.messages.has(message) ? message : `${COMBINED}${message}`;
  }

  async #sendAll(): Promise<void> {
    this.#sending = true;
    // Not in the turn of whoever tells: they may tell the same again.
    await undefined;
    for (let send = this.#waiting.shift(); send !== undefined; send = this.#waiting.shift()) {
      if (this.#options.signal?.aborted) this.#waiting.length = 0;
      else await send();
    }
    this.#sending = false;
  }

  async #send(id: string, told: Told, event: Event): Promise<void> {
    const { signal, onError } = this.#options;
    const events = this.#client.resource(coreV1.events).in(told.namespace);
    for (let attempt = 1; ; attempt++) {
      try {
        if (told.uid !== undefined) {
          const { count, lastTimestamp, message } = event;
          const patch = { metadata: { uid: told.uid }, count, lastTimestamp, message };
          try {
            await events.patch(told.name, 'merge', patch, { signal });
            return;
          } catch (error) {
            // Events live for an hour or so: it is told anew.
            if (!isNotFound(error)) throw error;
          }
        }
        told.uid = (await events.create(event, { signal })).metadata.uid;
        return;
      } catch (error) {
        if (signal?.aborted || error instanceof FencedError) return;
        const refused = error instanceof ApiError && error.code < 500 && error.code !== 429;
        if (refused || attempt >= ATTEMPTS) {
          if (told.uid === undefined) this.#told.delete(id);
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
/** A time in nanoseconds, of which those below a millisecond tell events of one apart. */
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
