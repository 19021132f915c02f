/**
 * Where objects lie in a store: `<prefix>/<group or "core">/<resource>/[<namespace>/]<name>`. Group and resource are
 * the storage identity of a kind, with the neutral name of the group; as a text `apps/deployments` or `core/pods`.
 */
export function storageId(group: string, plural: string): string {
  return `${group === '' ? 'core' : group}/${plural}`;
}

/**
 * Group and plural of a {@link storageId}.
 *
 * @example partsOfStorageId('apps/deployments') // => { group: 'apps', plural: 'deployments' }
 */
export function partsOfStorageId(id: string): { readonly group: string; readonly plural: string } {
  const slash = id.indexOf('/');
  const group = id.slice(0, slash);
  return { group: group === 'core' ? '' : group, plural: id.slice(slash + 1) };
}

/**
 * The prefix of all keys of a resource; `prefix` is the prefix of all keys, without a slash at the end.
 *
 * @example keyPrefixOf('/registry', '', 'pods') // => '/registry/core/pods/'
 */
export function keyPrefixOf(prefix: string, group: string, plural: string): string {
  return `${prefix}/${storageId(group, plural)}/`;
}

/**
 * The storage identity in a key; undefined if the key has none.
 *
 * @param base the length of the prefix of all keys, with the slash behind it
 * @param needsMore whether more text must follow the identity: the key of an object always has more
 * @example storageIdOfKey('/registry/core/pods/default/web', '/registry/'.length) // => 'core/pods'
 */
export function storageIdOfKey(key: string, base: number, needsMore = true): string | undefined {
  const group = key.indexOf('/', base);
  if (group < 0 || group + 1 === key.length || key[group + 1] === '/') return undefined;
  const plural = key.indexOf('/', group + 1);
  if (plural >= 0) return key.slice(base, plural);
  return needsMore ? undefined : key.slice(base);
}
