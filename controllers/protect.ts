import { isNotFound } from '#client/errors.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

/** A decision about the finalizer that keeps an object while it is in use. */
export type Protection = 'add' | 'consider' | 'none';

/**
 * `consider`: the object is being deleted, and only the finalizer keeps it. The caller must check whether the object is
 * still in use.
 */
export function protectionOf({ metadata }: ApiObject, finalizer: string): Protection {
  const has = metadata.finalizers?.includes(finalizer) === true;
  if (metadata.deletionTimestamp) return has ? 'consider' : 'none';
  return has ? 'none' : 'add';
}

/**
 * Adds a finalizer to an object, or removes it. It uses an update, because the roles of these controllers do not allow
 * patches. False if the object has changed since the decision. In this case nothing is written.
 */
export async function setFinalizer<T extends ApiObject>(
  resource: ResourceClient<T>,
  { metadata: { name = '', uid, resourceVersion } }: T,
  finalizer: string,
  wanted: boolean,
): Promise<boolean> {
  try {
    const current = await resource.get(name);
    if (current.metadata.uid !== uid || current.metadata.resourceVersion !== resourceVersion) return false;
    const others = (current.metadata.finalizers ?? []).filter((held) => held !== finalizer);
    const finalizers = wanted ? [...others, finalizer] : others;
    await resource.update({ ...current, metadata: { ...current.metadata, finalizers } });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
