import { meetKey } from './backslash-keys.ts';

/**
 * Sets a key that a client chose: `__proto__` becomes an ordinary key and not the prototype.
 *
 * @example setKey(labels, '__proto__', 'a'); // labels has one more label, and the prototype that it had
 */
export function setKey<T>(object: { [key: string]: T }, key: string, value: T): void {
  meetKey(key);
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
