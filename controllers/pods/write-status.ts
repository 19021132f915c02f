import { jsonEqual } from '#base/json/json-equal.ts';
import type { Client } from '#client/client.ts';
import { isNotFound } from '#client/errors.ts';
import { isWritable } from '#client/informer/projection.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

/**
 * Writes the status that was computed from a copy, if it differs and if the object is still the same. The copy has the
 * whole spec and status. If it lacks metadata that a write needs, the object is read first.
 *
 * @param annotations annotations to set together with the status
 * @returns whether it wrote. False also if the object is gone.
 * @throws ApiError (409) if the object has changed since
 */
export async function writeStatus<T extends ApiObject>(
  client: Client,
  type: ResourceType<T>,
  copy: T,
  status: object,
  annotations: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const carries = Object.entries(annotations).every(([key, value]) => copy.metadata.annotations?.[key] === value);
  if (carries && jsonEqual(withoutZeros(copy['status'] ?? {}), withoutZeros(status))) return false;
  const { namespace, name = '', resourceVersion } = copy.metadata;
  const objects = client.resource(type).in(namespace);
  try {
    const current = isWritable(copy) ? copy : await objects.get(name, { resourceVersion });
    const own = carries ? {} : { annotations: { ...current.metadata.annotations, ...annotations } };
    const metadata = { ...current.metadata, ...own, resourceVersion, uid: copy.metadata.uid };
    await objects.update({ ...current, metadata, status }, { subresource: 'status' });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** The status without counts that are zero, because servers leave out some of these counts and show others. */
function withoutZeros(status: object): object {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== 0));
}
