import type { Item } from '../cache/item.ts';
import { itemOf } from '../cache/item.ts';
import { badRequest, notFound } from '../errors/status-error.ts';
import { type Answer, object } from '../http/answer.ts';
import type { RequestContext, RequestInfo } from '../http/request-context.ts';
import { pathSegmentName } from '../kinds/common/names.ts';
import { contentOf } from './convert.ts';
import { resourceVersion } from './parse-query.ts';
import { anyVersion, mostRecent, notOlderThan } from './read-version.ts';
import { type Registry, subjectOf } from './registry.ts';
import type { ServedResource, StoredResource } from './served-resource.ts';

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
  if (version !== undefined && version > 0) await notOlderThan(registry, version);
  else if (!(await (version === 0 ? anyVersion : mostRecent)(registry))) {
    const found = await registry.store.get(stored.keyPrefix + key);
    return found === undefined ? undefined : itemOf(key, found.value, found.revision);
  }
  return stored.cache.get(key);
}

/** GET of one object (spec, "Get semantics"). */
export async function get(registry: Registry, served: ServedResource, context: RequestContext): Promise<Answer> {
  const version = resourceVersion(context.query.get('resourceVersion'));
  const item = await readItem(registry, served.stored!, requestedKey(served, context.info), version);
  if (item === undefined) throw notFound(subjectOf(served), context.info.name);
  return object(contentOf(registry, served, item));
}
