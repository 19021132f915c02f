import { timerMs } from '#base/time/longest-timer.ts';
import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { isAborted, isGone } from '#client/errors.ts';
import type { WatchEvent } from '#client/watch-events.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../command-line/command.ts';
import { apiVersionIn } from '../resources/found.ts';

/** The objects that are followed. */
export interface Followed {
  readonly type: DiscoveredType;
  readonly namespace: string | undefined;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** Called with the current state and after each later change, until it returns a value. */
export interface Looks<T> {
  readonly list: (items: readonly ApiObject[]) => T | undefined;
  readonly event: (event: WatchEvent<ApiObject>) => T | undefined;
}

/**
 * Follows objects until `looks` returns a result. Resolves to undefined after the timeout. It checks at least once.
 * @param timeoutMs 0 means to check only once
 * @throws ApiError if the user may not read them, and the errors of `looks`
 */
export async function follow<T>(
  { session, io }: Invocation,
  { type, namespace, ...selectors }: Followed,
  timeoutMs: number,
  looks: Looks<T>,
): Promise<T | undefined> {
  const resource = (await session.client()).resource(type).in(namespace);
  const over = AbortSignal.timeout(timerMs(timeoutMs));
  const signal = AbortSignal.any([io.signal, over]);
  for (;;) {
    const list = await resource.list({
      ...selectors,
      timeoutMs: session.settings.requestTimeoutMs,
      signal: io.signal,
    });
    const items = list.items.map((item) => ({ apiVersion: apiVersionIn(type), kind: type.kind, ...item }));
    const there = looks.list(items as ApiObject[]);
    if (there !== undefined) return there;
    if (timeoutMs === 0 || over.aborted) return undefined;
    try {
      const { resourceVersion } = list.metadata;
      for await (const event of await resource.watch({ ...selectors, resourceVersion, signal })) {
        if (event.type === 'BOOKMARK') continue;
        const found = looks.event(event as WatchEvent<ApiObject>);
        if (found !== undefined) return found;
      }
    } catch (error) {
      io.signal.throwIfAborted();
      if (over.aborted) return undefined;
      if (!isGone(error) && !isAborted(error)) throw error;
    }
    // The server has ended the watch, so a new one begins after a pause.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

const PAUSE_MS = 100;
