import { isAborted, isGone } from '../../client/errors.ts';
import { pathSegment } from '../../client/path-segment.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import type { Invocation } from '../frame/command.ts';
import type { Target } from '../resources/selection.ts';

/** An object as it is told of; undefined once it is not there (any more). */
export type Test = (object: ApiObject | undefined) => boolean;

/**
 * Follows one object until the test holds for it; resolves with what it was then, and whether it holds. It is tested at
 * least once.
 * @param timeoutMs 0 to look only once
 * @throws NameError, ApiError where the object may not be read, and what the test throws
 */
export async function awaitObject(
  { session, io }: Invocation,
  { type, namespace, name = '' }: Target,
  timeoutMs: number,
  test: Test,
): Promise<{ readonly object: ApiObject | undefined; readonly met: boolean }> {
  const resource = (await session.client()).resource(type).in(namespace);
  pathSegment(name);
  const fieldSelector = `metadata.name=${name}`;
  const over = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_MS));
  const signal = AbortSignal.any([io.signal, over]);
  let object: ApiObject | undefined;
  for (;;) {
    const list = await resource.list({
      fieldSelector,
      timeoutMs: session.settings.requestTimeoutMs,
      signal: io.signal,
    });
    object = list.items[0] && { apiVersion: apiVersionIn(type), kind: type.kind, ...list.items[0] };
    if (test(object)) return { object, met: true };
    if (timeoutMs === 0 || over.aborted) return { object, met: false };
    try {
      const { resourceVersion } = list.metadata;
      for await (const event of await resource.watch({ fieldSelector, resourceVersion, signal })) {
        if (event.type === 'BOOKMARK') continue;
        object = event.type === 'DELETED' ? undefined : event.object;
        if (test(object)) return { object, met: true };
      }
    } catch (error) {
      io.signal.throwIfAborted();
      if (over.aborted) return { object, met: false };
      if (!isGone(error) && !isAborted(error)) throw error;
    }
    // The server has ended the watch: look again, but not at once.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

const PAUSE_MS = 100;
/** The longest that timers take. */
const LONGEST_MS = 2 ** 31 - 1;

function apiVersionIn({ group, version }: Target['type']): string {
  return group === '' ? version : `${group}/${version}`;
}
