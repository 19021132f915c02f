import type { JsonValue } from './json-value.ts';

/**
 * The JSON parser of V8 (in Node 24 to 26) takes a key with escapes for the key that it expects next, from objects seen
 * before, when that one is how the text of the key begins: after `{".":1,"k:{\\\"na":1}` it may read `"k:{\"a\"}"`
 * as `k:{\"na`. The expected key then has a backslash in it. Keys with backslashes are rare, so a
 * client that sends one must not cost others more than a look at the keys that were read.
 */
let met = false;

/** To be called with each key from outside that `JSON.parse` did not read. */
export function meetKey(key: string): void {
  if (!met && key.includes('\\')) met = true;
}

/** Whether keys that `JSON.parse` read from a text may be wrong, so that the text needs to be parsed again. */
export function mayMistakeKeys(text: string, value: JsonValue): boolean {
  if (!(met ? text.includes('\\') : text.includes('\\\\'))) return false;
  if (!hasBackslashKey(value)) return false;
  met = true;
  return true;
}

function hasBackslashKey(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasBackslashKey);
  for (const key in value) {
    if (key.includes('\\') || hasBackslashKey((value as { [key: string]: JsonValue })[key]!)) return true;
  }
  return false;
}
