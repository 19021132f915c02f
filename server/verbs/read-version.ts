import { StatusError, serviceUnavailable } from '#base/errors/status-error.ts';
import { currentStages } from '#program/tracing/request-stages.ts';
import type { MaybePromise } from '../api/maybe-promise.ts';
import { NotCaughtUpError, type WatchCache } from '../cache/watch-cache.ts';
import type { Registry } from '../resources/registry.ts';

/** How long a read waits for a version that this replica has not seen yet, in milliseconds. */
const WAIT_MS = 3000;

/** The refusal of a version that does not exist yet. It is a 504, after which clients ask again. */
export function tooLargeVersion(asked: number, current: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** While the cache is filled again, because the store was restored, no client may see the old state. */
export function beingFilled(): StatusError {
  return serviceUnavailable('the watch cache is being filled');
}

/** The collection that is read: the objects of a resource, or the largest part of the store if no resource is named. */
type Asked = { readonly group: string; readonly plural: string };

function cacheOf({ cache }: Registry, asked: Asked | undefined): WatchCache {
  return asked === undefined ? cache : cache.home(asked.group, asked.plural);
}

/**
 * Waits until the cache is at least at a version.
 *
 * @throws StatusError: 504 if the revision is not reached in 3 s, and 503 while the cache does not match the store
 */
export async function notOlderThan(registry: Registry, asked: Asked, version: number): Promise<void> {
  const cache = cacheOf(registry, asked);
  if (!(await anyVersion(registry, asked))) throw beingFilled();
  if (cache.frontier >= version) return;
  if (await waiting(cache.waitFor(version, WAIT_MS))) return;
  throw tooLargeVersion(version, cache.frontier);
}

/** Whether the cache has a state of the store. If not, the caller reads from the store instead. */
export function anyVersion(registry: Registry, asked: Asked): MaybePromise<boolean> {
  return cacheOf(registry, asked).ready || mostRecent(registry, asked);
}

/** The request waits for etcd here, even if another request has asked etcd. */
async function waiting<T>(found: Promise<T>): Promise<T> {
  const stages = currentStages();
  if (stages === undefined) return found;
  stages.enter('etcd');
  try {
    return await found;
  } finally {
    stages.leave('etcd');
  }
}

/**
 * Updates the cache to the state of the store at the beginning of the call. False if the cache could not catch up in
 * time although the store answers. The caller then reads from the store instead.
 */
export async function mostRecent(registry: Registry, asked?: Asked): Promise<boolean> {
  const stages = currentStages();
  stages?.enter('etcd');
  try {
    await cacheOf(registry, asked).fresh();
    return true;
  } catch (error) {
    if (error instanceof NotCaughtUpError) return false;
    throw error;
  } finally {
    stages?.leave('etcd');
  }
}
