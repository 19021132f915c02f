/**
 * The keys that a reader selects. '' means all keys, `namespace/` means one namespace, and any other text means exactly
 * this key.
 */
export type Scope = string;

/** Whether `key` is in `scope`. */
export function inScope(scope: Scope, key: string): boolean {
  if (scope === '') return true;
  return isPrefix(scope) ? key.startsWith(scope) : key === scope;
}

/** Whether a scope can contain more than one key. */
export function isPrefix(scope: Scope): boolean {
  return scope === '' || scope.endsWith('/');
}

/** Negative, zero or positive if `a` is before, equal to or after `b`. */
export type KeyOrder = (a: string, b: string) => number;

/** The order of UTF-16 units. It is the store's byte order for all keys whose characters are below U+D800. */
export function unitOrder(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The store's order. It is the order of UTF-8 bytes, and also the order of code points. */
export function byteOrder(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return afterFix(x) - afterFix(y);
  }
  return a.length - b.length;
}

/** Sorts surrogates after all other units, because they spell the code points above U+FFFF. */
function afterFix(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/** Whether the two orders can differ for this key. */
export function needsByteOrder(key: string): boolean {
  return /[\ud800-\uffff]/.test(key);
}
