import { setTimeout as sleep } from 'node:timers/promises';
import { timerMs } from '#base/time/longest-timer.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { ApiError, isGone } from '../errors.ts';
import type { ResourceClient } from '../resource-client.ts';
import type { WatchEvent } from '../watch-events.ts';

/** A source that can be listed and watched: the objects of a type, or a table of its objects. */
export type Reflected<T extends ApiObject> = Pick<ResourceClient<T>, 'list' | 'watch'>;

/** The options of {@link reflect}. */
export interface ReflectorSink<T> {
  /** Gets the whole collection. It is called first, and again whenever the copy may have missed changes. */
  replace(items: readonly T[]): void;
  change(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void;
}

export interface ReflectorOptions<T> {
  /** Reduces an object that the server sends to what the copy keeps. */
  readonly keep?: (object: T) => T;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects in a page of a list; 500 by default. */
  readonly pageSize?: number;
  /** Waits until the reflector may list. Resolves to the function that the reflector calls after the list. */
  readonly turn?: (signal: AbortSignal) => Promise<() => void>;
  /** Called after each failure, with the error and the milliseconds until the next attempt. */
  readonly onError?: (error: unknown, retryInMs: number) => void;
  /** Called with each version that the copy reaches by a list, an event or a bookmark. */
  readonly onVersion?: (resourceVersion: string) => void;
}

const FIRST_RETRY_MS = 200;
const LONGEST_RETRY_MS = 30_000;
/**
 * If a stream lasted this long, it counts as a success. The delay after the next failure is then the shortest again.
 */
const GOOD_MS = 10_000;
const WATCH_SECONDS = 300;

/**
 * Keeps a copy of a collection up to date until the signal aborts. It lists the collection in pages, then watches from
 * the list's version. A stream that ends is resumed from the last known version. Bookmarks advance this version. If the
 * server no longer has the changes since then (410), the collection is listed again. After a failure, the next attempt
 * waits. The waiting time doubles each time and has a random part, so that many clients do not return at once.
 *
 * @example
 * await reflect(client.resource(coreV1.pods), {
 *   replace: (pods) => table.reset(pods),
 *   change: (type, pod) => table.set(type, pod),
 * }, signal);
 */
export async function reflect<T extends ApiObject>(
  resource: Reflected<T>,
  sink: ReflectorSink<T>,
  signal: AbortSignal,
  options: ReflectorOptions<T> = {},
): Promise<void> {
  const keep = options.keep ?? ((object: T) => object);
  let version: string | undefined;
  let failures = 0;
  /** False after the server has dropped the version of a page. The next list then has no pages. */
  let paged = true;
  while (!signal.aborted) {
    const began = performance.now();
    try {
      if (version === undefined) {
        version = await listAll(resource, sink, signal, options, keep, paged);
        paged = true;
        options.onVersion?.(version);
      }
      const events: AsyncGenerator<WatchEvent<T>, void, void> = await resource.watch({
        resourceVersion: version,
        allowWatchBookmarks: true,
        timeoutSeconds: Math.round(WATCH_SECONDS * (1 + Math.random())),
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        signal,
      });
      for await (const { type, object } of events) {
        if (type !== 'BOOKMARK') sink.change(type, keep(object));
        version = object.metadata.resourceVersion ?? version;
        options.onVersion?.(version);
        failures = 0;
      }
      // The server regularly ends streams. A stream that ends at once is a failure like any other.
      if (performance.now() - began < 1000) failures++;
    } catch (error) {
      if (signal.aborted) return;
      if (performance.now() - began > GOOD_MS) failures = 0;
      if (isGone(error)) {
        if (version === undefined) paged = false;
        version = undefined;
      }
      const wait = retryIn(failures, error);
      failures++;
      options.onError?.(error, wait);
      await sleep(timerMs(wait), undefined, { signal }).catch(() => {});
      continue;
    }
    if (failures > 0) await sleep(timerMs(retryIn(failures - 1)), undefined, { signal }).catch(() => {});
  }
}

async function listAll<T extends ApiObject>(
  resource: Reflected<T>,
  sink: ReflectorSink<T>,
  signal: AbortSignal,
  options: ReflectorOptions<T>,
  keep: (object: T) => T,
  paged: boolean,
): Promise<string> {
  const { labelSelector, fieldSelector, pageSize = 500 } = options;
  const done = (await options.turn?.(signal)) ?? (() => {});
  try {
    const items: T[] = [];
    let version = '';
    const query = { labelSelector, fieldSelector, signal };
    const add = (page: { items: T[]; metadata: { resourceVersion?: string } }) => {
      for (const item of page.items) items.push(keep(item));
      version = page.metadata.resourceVersion ?? version;
    };
    if (!paged) add(await resource.list(query));
    else {
      let next: string | undefined;
      do {
        const page = await resource.list({ ...query, limit: pageSize, continue: next });
        add(page);
        next = page.metadata.continue;
      } while (next);
    }
    sink.replace(items);
    return version;
  } finally {
    done();
  }
}

function retryIn(failures: number, error?: unknown): number {
  const asked = error instanceof ApiError && error.retryAfter !== undefined ? error.retryAfter * 1000 : 0;
  const full = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
  return asked + full / 2 + (Math.random() * full) / 2;
}
