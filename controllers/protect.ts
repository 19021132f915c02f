import { isNotFound } from '#client/errors.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

/** What is to be done about a finalizer that keeps an object while it is used. */
export type Protection = 'add' | 'consider' | 'none';

/** `consider`: the object is to go, and only the finalizer says that it is used. */
export function protectionOf({ metadata }: ApiObject, finalizer: string): Protection {
  const has = metadata.finalizers?.includes(finalizer) === true;
  if (metadata.deletionTimestamp) return has ? 'consider' : 'none';
  return has ? 'none' : 'add';
}

/**
 * Adds a finalizer to an object, or takes it off, with an update: the rights of those who protect hold no patches.
 * Answers whether it was done; nothing is where the object is not the very one that was decided about any more.
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
