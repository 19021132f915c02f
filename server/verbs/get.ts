import { badRequest, notFound } from '#base/errors/status-error.ts';
import { pathSegmentName } from '#schema/validation/names.ts';
import { type Answer, object } from '../api/answer.ts';
import { type MaybePromise, whenReady } from '../api/maybe-promise.ts';
import { resourceVersion } from '../api/parse-query.ts';
import type { RequestContext, RequestInfo } from '../api/request-context.ts';
import type { StoredResource, StoredServedResource } from '../api/served-resource.ts';
import type { Item } from '../cache/item.ts';
import { itemOf } from '../cache/item.ts';
import { contentOf } from '../codecs/convert.ts';
import { type Registry, subjectOf } from '../resources/registry.ts';
import { anyVersion, mostRecent, notOlderThan } from './read-version.ts';
import { requireOpened, unreadable, unreadableValue } from './unreadable.ts';

/** A key relative to its resource: `namespace/name` or `name`. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/**
 * The key of the object that a path names. The path of a namespace also carries its name as the namespace.
 *
 * @throws StatusError (400) for names that no object can have
 */
export function requestedKey(served: StoredServedResource, info: RequestInfo): string {
  const problems = pathSegmentName(info.name);
  if (problems.length > 0)
    throw badRequest(`Name parameter invalid: ${JSON.stringify(info.name)}: ${problems.join(';')}`);
  return keyOf(served.type.namespaced ? info.namespace : '', info.name);
}

/** One object at least as new as `version`. Undefined means the most recent state, and 0 any state. */
export function readItem(
  registry: Registry,
  stored: StoredResource,
  key: string,
  version: number | undefined,
): MaybePromise<Item | undefined> {
  if (version !== undefined && version > 0)
    return notOlderThan(registry, stored, version).then(() => stored.cache.get(key));
  const inMemory = version === 0 ? anyVersion(registry, stored) : mostRecent(registry, stored);
  return whenReady(inMemory, (yes) => (yes ? stored.cache.get(key) : readFromStore(registry, stored, key)));
}

async function readFromStore(registry: Registry, stored: StoredResource, key: string): Promise<Item | undefined> {
  const found = await registry.store.get(stored.keyPrefix + key);
  return found === undefined ? undefined : itemOf(key, found.value, found.revision);
}

/**
 * Answers a GET of one object. It returns the newest state, or with a `resourceVersion` a state that is not older (0
 * means any state).
 */
export function get(registry: Registry, served: StoredServedResource, context: RequestContext): MaybePromise<Answer> {
  const version = resourceVersion(context.query.get('resourceVersion'));
  const key = requestedKey(served, context.info);
  const read = readItem(registry, served.stored, key, version);
  return whenReady(read, (item) =>
    item === undefined ? missing(registry, served, context, key) : shown(served, item),
  );
}

function shown(served: StoredServedResource, item: Item): MaybePromise<Answer> {
  return whenReady(contentOf(served, item), object);
}

/**
 * Handles a missing object, or one that cannot be read yet.
 *
 * @throws StatusError (404, 500)
 */
async function missing(
  registry: Registry,
  served: StoredServedResource,
  { info: { name } }: RequestContext,
  key: string,
): Promise<Answer> {
  const stored = served.stored;
  if (!stored.cache.isUnreadable(key)) throw notFound(subjectOf(served), name);
  await requireOpened(registry, served, key);
  const item = stored.cache.get(key);
  if (item !== undefined) return shown(served, item);
  const problem = stored.cache.isUnreadable(key) ? await unreadable(registry, stored, key) : undefined;
  throw problem === undefined ? notFound(subjectOf(served), name) : unreadableValue(served, name, problem);
}
