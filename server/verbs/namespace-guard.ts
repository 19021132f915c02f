import { forbidden, notFound, type StatusError } from '#base/errors/status-error.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Condition } from '#storage/object-store.ts';
import type { ServedResource } from '../api/served-resource.ts';
import { type Registry, subjectOf } from '../resources/registry.ts';
import { mostRecent } from './read-version.ts';

function terminating(served: ServedResource, name: string, namespace: string): StatusError {
  const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const error = forbidden(subjectOf(served), name, message);
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  error.status.details = { ...error.status.details, causes: [cause] };
  return error;
}

/**
 * Checks that objects may be created in a namespace. Resolves to the condition that this stays true until the
 * transaction.
 *
 * @throws StatusError (404, 403), both only if the namespace's state is known to be fresh
 */
export async function namespaceCondition(
  registry: Registry,
  served: ServedResource,
  name: string,
  namespace: string,
): Promise<Condition> {
  const namespaces = registry.stored('', 'namespaces');
  for (let fresh = false; ; fresh = true) {
    const item = namespaces.cache.get(namespace);
    const object = item === undefined ? undefined : asObject(registry.cache.parsed(item));
    const active = object !== undefined && (object.metadata.deletionTimestamp ?? null) === null;
    if (item !== undefined && active) return { key: namespaces.keyPrefix + namespace, revision: item.revision };
    if (fresh) {
      throw item === undefined
        ? notFound({ group: '', resource: 'namespaces' }, namespace)
        : terminating(served, name, namespace);
    }
    await mostRecent(registry);
  }
}

/**
 * Checks that a namespace exists. It may be one that is being deleted.
 *
 * @throws StatusError (404) if its absence is known to be fresh
 */
export async function requireNamespace(registry: Registry, namespace: string): Promise<void> {
  const { cache } = registry.stored('', 'namespaces');
  if (cache.get(namespace) !== undefined) return;
  await mostRecent(registry);
  if (cache.get(namespace) === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
}
