import type { JsonValue } from './json-value.ts';

/**
 * The JSON parser of V8 (in Node 24 to 26) has a fault with escaped keys. It predicts the next key from objects that it
 * parsed before. A key with escapes is taken for the predicted key if the predicted key begins with the same
 * characters. Example: after `{".":1,"k:{\\\"na":1}` it may read `"k:{\"a\"}"` as `k:{\"na`. The predicted key then
 * contains a backslash. Keys with backslashes are rare. A client that sends one must not cost other clients more than
 * one look at each key that is read.
 */
let met = false;

/** Call this function for each key that comes from a client and that `JSON.parse` did not read. */
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
