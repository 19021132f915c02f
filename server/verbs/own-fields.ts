import type { ApiObject } from '#schema/objects/api-object.ts';
import type { StoredResource } from '../api/served-resource.ts';
import type { Registry } from '../resources/registry.ts';
import { trackWrite, type Writer } from './managed-fields.ts';
import { storedValue } from './written.ts';

/**
 * An object of a built-in kind that this server itself is about to store, with the fields that it thereby owns, as any
 * other writer would. Objects are in the stored version, defaulted; `live` is what is stored now, undefined for a
 * create. The writer is the server, and it writes the object itself, unless something else is said. In a version that
 * is not served owners stay as they are.
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

/** The bytes that such an object is stored as, {@link withOwnFields}. */
export async function ownValue(...write: Parameters<typeof withOwnFields>): Promise<Buffer> {
  return storedValue(write[1], await withOwnFields(...write));
}
