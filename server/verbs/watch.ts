import { badRequest } from '#base/errors/status-error.ts';
import type { Answer } from '../api/answer.ts';
import { type ListOptions, listOptions } from '../api/list-options.ts';
import type { RequestContext } from '../api/request-context.ts';
import { type Selection, selection, selects, watchPredicateOf } from '../api/selection.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import type { ResourceCache, Subscription } from '../cache/resource-cache.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import type { WatchPredicate } from '../cache/watch-predicate.ts';
import type { Registry } from '../resources/registry.ts';
import { anyVersion, beingFilled, mostRecent, notOlderThan } from './read-version.ts';
import { requireOpened } from './unreadable.ts';

/**
 * Answers a GET with `watch`. Without a version, or with version 0, the stream begins with an ADDED event for each
 * existing object. With another version, it contains only later changes. If the version has been compacted, the answer
 * is 200 with one ERROR event. With `sendInitialEvents=true` (the gate `WatchList`), the stream begins with the
 * existing objects in a state that is not older than the version, and a bookmark marks their end. With
 * `sendInitialEvents=false`, existing objects are left out.
 */
export async function watch(
  registry: Registry,
  served: StoredServedResource,
  context: RequestContext,
): Promise<Answer> {
  const options = listOptions(context.query, registry.naming, true, registry.gates.enabled('WatchList'));
  const selected = selectionOf(served, options, context.info.name);
  const cache = served.stored.cache;
  const { namespaced } = served.type;
  const predicate = watchPredicateOf(selected, namespaced, namespaced ? context.info.namespace : '');
  const version = options.resourceVersion;
  const open = {
    served,
    selected,
    bookmarks: options.allowWatchBookmarks,
    marksInitial: options.sendInitialEvents === true && options.allowWatchBookmarks,
    timeoutMs: timeoutMs(options.timeoutSeconds, registry.options.minWatchSeconds),
  };

  if (version === undefined || version === 0 || options.sendInitialEvents === true) {
    if (!selected.everything) await cache.readAhead();
    if (version !== undefined && version > 0) await notOlderThan(registry, served.stored, version);
    else if (!(await (version === 0 ? anyVersion : mostRecent)(registry, served.stored))) throw beingFilled();
    if (cache.sealedIn(predicate.scope).length > 0) await requireOpened(registry, served, predicate.scope);
    const { items, revision, subscription } = cache.snapshotAndSubscribe(predicate);
    const initial = options.sendInitialEvents === false ? [] : items.filter((item) => selects(selected, item));
    return { kind: 'watch', stream: { ...open, initial, start: revision, subscription } };
  }
  if (!(await anyVersion(registry, served.stored))) throw beingFilled();
  await requireOpened(registry, served, predicate.scope);
  // A version may be later than the current one. The stream then skips the changes up to that version.
  const subscription = await changesAfter(
    version,
    registry.cache.home(served.stored.group, served.stored.plural),
    cache,
    predicate,
  );
  return { kind: 'watch', stream: { ...open, initial: [], start: version, subscription } };
}

/** The changes after a version, even if this replica started later; undefined if the history no longer has them. */
async function changesAfter(
  version: number,
  home: WatchCache,
  cache: ResourceCache,
  predicate: WatchPredicate,
): Promise<Subscription | undefined> {
  const open = () => cache.subscribe(version, predicate);
  let subscription = open();
  if (subscription === 'gone') {
    await home.backfill(version);
    subscription = open();
  }
  return subscription === 'gone' ? undefined : subscription;
}

/**
 * The selection of a watch: the objects of a collection, or one object that the path names. If the path names an
 * object, a field selector may only select the same name.
 */
function selectionOf(served: StoredServedResource, options: ListOptions, name: string): Selection {
  const { labelSelector, fieldSelector } = options;
  const selected = selection(served, { labelSelector, fieldSelector });
  if (name === '') return selected;
  if (selected.fields.everything)
    return selection(served, { labelSelector, fieldSelector: `metadata.name=${escapeValue(name)}` });
  if (selected.fields.name !== name) throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return selected;
}

function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

/**
 * The timeout that the client asks for. Without one, the timeout is random, between the minimum and twice the minimum,
 * so that not all watches end at the same time. It is in whole seconds, because timers of equal length are cheaper:
 * they share a list in the engine.
 */
function timeoutMs(seconds: number | undefined, minimum: number): number {
  if (seconds !== undefined && seconds > 0) return Math.min(seconds, 86_400 * 24) * 1000;
  return Math.round(minimum * (1 + Math.random())) * 1000;
}
