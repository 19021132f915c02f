import { notFound } from '#base/errors/status-error.ts';
import { storedObject } from '../../resources/built-in-reading.ts';
import type { Registry } from '../../resources/registry.ts';
import { keyOf, readItem } from '../../verbs/get.ts';

/**
 * The most recent state of an object of the core group.
 *
 * @throws StatusError (404) that names it as `resource` if it does not exist
 */
export async function storedOne<T>(
  registry: Registry,
  plural: string,
  namespace: string,
  name: string,
  resource = plural,
): Promise<T> {
  const stored = registry.stored('', plural);
  const item = await readItem(registry, stored, keyOf(namespace, name), undefined);
  if (item === undefined) throw notFound({ group: '', resource }, name);
  return storedObject(registry, stored, item) as unknown as T;
}
