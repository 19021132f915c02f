import { createHash } from 'node:crypto';

/** Characters of hashes in names, chosen so that they do not form words. */
const SAFE: ReadonlyMap<string, string> = new Map([
  ['0', 'g'],
  ['1', 'h'],
  ['3', 'k'],
  ['a', 'm'],
  ['e', 't'],
]);

/**
 * The name suffix of a config map or secret. It changes with the content. The hash covers `value` with its keys in
 * order: `{"data":…,"kind":…,"name":…}`.
 */
export function nameHash(value: object): string {
  const json = JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const hex = createHash('sha256').update(json).digest('hex');
  return [...hex.slice(0, 10)].map((char) => SAFE.get(char) ?? char).join('');
}
