/**
 * The storage identity of a kind: the group under which its objects are stored, by its neutral name, and the resource.
 * It is a part of the key of each object: `<prefix>/<group or "core">/<resource>/[<namespace>/]<name>`.
 *
 * @example storageId('', 'pods') // => 'core/pods'
 */
export function storageId(group: string, plural: string): string {
  return `${group === '' ? 'core' : group}/${plural}`;
}

/**
 * The group and the resource in a {@link storageId}.
 *
 * @example partsOfStorageId('apps/deployments') // => { group: 'apps', plural: 'deployments' }
 */
export function partsOfStorageId(id: string): { readonly group: string; readonly plural: string } {
  const slash = id.indexOf('/');
  const group = id.slice(0, slash);
  return { group: group === 'core' ? '' : group, plural: id.slice(slash + 1) };
}

/**
 * The prefix of the keys of one resource.
 *
 * @param prefix the prefix of all keys, without a slash at the end
 * @example keyPrefixOf('/registry', '', 'pods') // => '/registry/core/pods/'
 */
export function keyPrefixOf(prefix: string, group: string, plural: string): string {
  return `${prefix}/${storageId(group, plural)}/`;
}

/**
 * The storage identity in a key; undefined if the key has none.
 *
 * @param base the length of the prefix of all keys, including the slash after it
 * @param needsMore whether a slash must follow the identity, as it does in the key of an object
 * @example storageIdOfKey('/registry/core/pods/default/web', '/registry/'.length) // => 'core/pods'
 */
export function storageIdOfKey(key: string, base: number, needsMore = true): string | undefined {
  const group = key.indexOf('/', base);
  if (group < 0 || group + 1 === key.length || key[group + 1] === '/') return undefined;
  const plural = key.indexOf('/', group + 1);
  if (plural >= 0) return key.slice(base, plural);
  return needsMore ? undefined : key.slice(base);
}
