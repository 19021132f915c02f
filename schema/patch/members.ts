import type { JsonObject, JsonValue } from '#base/json/json-value.ts';

/** The value of an object's own member; undefined when it has none (inherited names such as `constructor` are none). */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets an object's own member, also one named `__proto__`, which a plain assignment would take for the prototype. */
export function setMember(object: JsonObject, name: string, value: JsonValue): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}
