import type { RequestContext } from '../api/request-context.ts';
import type { ResourceCache } from '../cache/resource-cache.ts';
import type { Registry } from '../resources/registry.ts';
import type { Population } from './estimate-work.ts';

/** The largest age of a count, in milliseconds. Counting watchers takes longer than most requests. */
const COUNTED_FOR = 1000;

/**
 * Returns how many objects the resource of a request has and how many clients watch it. The numbers may be slightly
 * old.
 */
export function populations(
  registry: Pick<Registry, 'current'>,
): (context: Pick<RequestContext, 'info'>) => Population | undefined {
  const known = new WeakMap<ResourceCache, Population & { readonly at: number }>();
  return ({ info: { group, version, resource } }) => {
    const cache = registry.current().find(group, version, resource)?.stored?.cache;
    if (cache === undefined) return undefined;
    const now = performance.now();
    const before = known.get(cache);
    if (before !== undefined && now - before.at < COUNTED_FOR) return before;
    const { items: objects, subscriptions: watchers } = cache.stats;
    const counted = { objects, watchers, at: now };
    known.set(cache, counted);
    return counted;
  };
}
