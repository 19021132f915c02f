import { isObject, type JsonValue } from '#base/json/json-value.ts';

/**
 * Matches `[name="x",port=80]`, `[="x"]` or `[0]` at the beginning of a path. Strings in the brackets may contain
 * brackets.
 */
const ITEM = /^\[((?:[^"\]]|"(?:[^"\\]|\\.)*")*)\]/;
const KEY = /([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g;

/**
 * Removes from a value, in place, the field that a conflict names (`.spec.containers[name="x"].image`). Keys may
 * contain dots, so the path is matched against the keys that exist. Returns whether there was such a field.
 */
export function removeField(value: JsonValue, path: string): boolean {
  if (Array.isArray(value)) return removeFromList(value, path);
  if (!isObject(value)) return false;
  for (const [key, member] of Object.entries(value)) {
    if (!path.startsWith(`.${key}`)) continue;
    const rest = path.slice(key.length + 1);
    if (rest === '') return delete value[key];
    if (/^[.[]/.test(rest) && removeField(member, rest)) return true;
  }
  return false;
}

function removeFromList(items: JsonValue[], path: string): boolean {
  const [step, inner] = ITEM.exec(path) ?? [];
  if (step === undefined || inner === undefined) return false;
  const rest = path.slice(step.length);
  for (const [place, item] of items.entries()) {
    if (!isMeant(item, place, inner)) continue;
    if (rest === '') return items.splice(place, 1).length > 0;
    if (removeField(item, rest)) return true;
  }
  return false;
}

/** Whether a step of a path selects an item. A key that the item omits has its default. */
function isMeant(item: JsonValue, place: number, inner: string): boolean {
  if (/^\d+$/.test(inner)) return place === Number(inner);
  if (inner.startsWith('=')) return textOf(item) === inner.slice(1);
  if (!isObject(item)) return false;
  const keys = [...inner.matchAll(KEY)];
  const given = keys.filter(([, name]) => Object.hasOwn(item, name!));
  return given.length > 0 && given.every(([, name, text]) => textOf(item[name!]!) === text);
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
