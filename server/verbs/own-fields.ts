import type { ApiObject } from '#schema/objects/api-object.ts';
import type { StoredResource } from '../api/served-resource.ts';
import type { Registry } from '../resources/registry.ts';
import { trackWrite, type Writer } from './managed-fields.ts';
import { storedValue } from './written.ts';

/**
 * Prepares an object of a built-in kind that this server itself stores. The server becomes the owner of the fields that
 * it sets. Objects are in the storage version with defaults. `live` is the stored object, or undefined for a create. By
 * default the manager is the server, and the write goes to the object itself. In a version that is not served, the
 * owners do not change.
 */
export async function withOwnFields<T extends ApiObject>(
  registry: Registry,
  stored: StoredResource,
  live: ApiObject | undefined,
  object: T,
  { manager = registry.naming.prefixed('apiserver'), subresource = '' }: Partial<Writer> = {},
): Promise<T> {
  const served = registry.find(registry.naming.group(stored.group), stored.version, stored.plural);
  if (served === undefined) return object;
  const owned = { ...object, metadata: { ...object.metadata } };
  await trackWrite(served, live, owned, { manager, subresource });
  return owned;
}

/** The bytes in which such an object is stored; see {@link withOwnFields}. */
export async function ownValue(...write: Parameters<typeof withOwnFields>): Promise<Buffer> {
  return storedValue(write[1], await withOwnFields(...write));
}
