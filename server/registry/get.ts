import { type Answer, object } from '../api/answer.ts';
import { resourceVersion } from '../api/parse-query.ts';
import { type Registry, subjectOf } from '../api/registry.ts';
import type { RequestContext, RequestInfo } from '../api/request-context.ts';
import type { ServedResource, StoredResource } from '../api/served-resource.ts';
import type { Item } from '../cache/item.ts';
import { itemOf } from '../cache/item.ts';
import { contentOf } from '../codecs/convert.ts';
import { badRequest, notFound } from '../errors/status-error.ts';
import { pathSegmentName } from '../validation/names.ts';
import { anyVersion, mostRecent, notOlderThan } from './read-version.ts';
import { requireOpened, unreadable, unreadableValue } from './unreadable.ts';

/** A key relative to its resource: `namespace/name` or `name`. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/**
 * The key of the object that a path names. The path of a namespace also carries its name as the namespace. Throws 400
 * on names that no object can have.
 */
export function requestedKey(served: ServedResource, info: RequestInfo): string {
  const problems = pathSegmentName(info.name);
  if (problems.length > 0)
    throw badRequest(`Name parameter invalid: ${JSON.stringify(info.name)}: ${problems.join(';')}`);
  return keyOf(served.type.namespaced ? info.namespace : '', info.name);
}

/** One object as `version` asks: undefined the most recent, 0 any, else not older than it. */
export async function readItem(
  registry: Registry,
  stored: StoredResource,
  key: string,
  version: number | undefined,
): Promise<Item | undefined> {
  if (version !== undefined && version > 0) await notOlderThan(registry, stored, version);
  else if (!(await (version === 0 ? anyVersion : mostRecent)(registry, stored))) {
    const found = await registry.store.get(stored.keyPrefix + key);
    return found === undefined ? undefined : itemOf(key, found.value, found.revision);
  }
  return stored.cache.get(key);
}

/** GET of one object: the newest state, or with a `resourceVersion` one that is not older (0: any). */
export async function get(registry: Registry, served: ServedResource, context: RequestContext): Promise<Answer> {
  const version = resourceVersion(context.query.get('resourceVersion'));
  const { name } = context.info;
  const key = requestedKey(served, context.info);
  const stored = served.stored!;
  let item = await readItem(registry, stored, key, version);
  if (item === undefined && stored.cache.isUnreadable(key)) {
    await requireOpened(registry, served, key);
    item = stored.cache.get(key);
  }
  if (item === undefined) {
    const problem = stored.cache.isUnreadable(key) ? await unreadable(registry, stored, key) : undefined;
    throw problem === undefined ? notFound(subjectOf(served), name) : unreadableValue(served, name, problem);
  }
  return object(await contentOf(served, item));
}
