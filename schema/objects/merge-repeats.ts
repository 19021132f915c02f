import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { quoteText } from '#base/json/quote-text.ts';
import { membersOf, type Repeats } from '#base/json/repeats.ts';
import { setKey } from '#base/json/set-key.ts';
import type { FieldType, MessageType, ValueType } from '../descriptors/types.ts';

/**
 * An object of a message from a text that repeats keys. Each later value is merged into the earlier ones. Messages
 * merge field by field, maps key by key, and lists item by item. All other values are replaced. `null` clears only a
 * field that can be absent. `report` gets repeated and unknown fields, in the order of the text.
 *
 * @example
 * // of '{"data":{"a":"1"},"data":{"b":"2"}}': both keys, and the complaint that data is repeated
 * mergeRepeats(configMap, value, repeats, (complaint) => warnings.push(complaint))
 */
export function mergeRepeats(
  type: MessageType,
  value: JsonObject,
  repeats: Repeats,
  report: (complaint: string) => void,
): JsonObject {
  return new Merge(repeats, report).message(type, undefined, value, '');
}

/** The largest number of characters of reported paths. One long name may be in the paths of all other fields. */
const LONGEST_REPORTS = 1 << 22;

class Merge {
  readonly #repeats: Repeats;
  readonly #report: (complaint: string) => void;
  readonly #reported = new Set<string>();
  #room = LONGEST_REPORTS;

  constructor(repeats: Repeats, report: (complaint: string) => void) {
    this.#repeats = repeats;
    this.#report = report;
  }

  message(type: MessageType, before: JsonValue | undefined, value: JsonObject, path: string): JsonObject {
    const result = isObject(before) ? before : {};
    const seen = new Set<string>();
    const prefix = path === '' ? '' : `${path}.`;
    for (const [key, given] of membersOf(value, this.#repeats)) {
      const field = type.byJsonName.get(key);
      const where = `${prefix}${key}`;
      const known = field !== undefined || (type.typeMeta && (key === 'kind' || key === 'apiVersion'));
      if (!known) this.#tell('unknown', where);
      else if (seen.has(key)) this.#tell('duplicate', where);
      seen.add(key);
      const old = Object.hasOwn(result, key) ? result[key] : undefined;
      setKey(result, key, field === undefined ? given : this.#field(field, old, given, where));
    }
    return result;
  }

  #field(field: FieldType, before: JsonValue | undefined, value: JsonValue, path: string): JsonValue {
    if (field.repeated && Array.isArray(value)) return this.#list(field, before, value, path);
    if (field.map && isObject(value)) return this.#map(field, before, value, path);
    if (value === null && before !== undefined && !canBeAbsent(field)) return before;
    return field.repeated || field.map ? value : this.#single(field, before, value, path);
  }

  #list(type: ValueType, before: JsonValue | undefined, value: JsonValue[], path: string): JsonValue[] {
    const old = Array.isArray(before) ? before : [];
    return value.map((item, i) => this.#single(type, old[i], item, `${path}[${i}]`));
  }

  #map(type: ValueType, before: JsonValue | undefined, value: JsonObject, path: string): JsonObject {
    const result = isObject(before) ? before : {};
    const seen = new Set<string>();
    for (const [key, given] of membersOf(value, this.#repeats)) {
      const where = `${path}.${key}`;
      if (seen.has(key)) this.#tell('duplicate', where);
      seen.add(key);
      setKey(result, key, this.#single(type, undefined, given, where));
    }
    return result;
  }

  #single({ message }: ValueType, before: JsonValue | undefined, value: JsonValue, path: string): JsonValue {
    if (message?.jsonForm === 'items') {
      const items = message.fields[0];
      return items !== undefined && Array.isArray(value) ? this.#list(items, before, value, path) : value;
    }
    return message?.jsonForm === 'object' && isObject(value) ? this.message(message, before, value, path) : value;
  }

  #tell(what: 'unknown' | 'duplicate', path: string): void {
    if (this.#room <= 0) return;
    this.#room -= path.length;
    const complaint = `${what} field ${quoteText(path)}`;
    if (this.#reported.has(complaint)) return;
    this.#reported.add(complaint);
    this.#report(complaint);
  }
}

/** Whether `null` changes a field. It does not change texts, numbers and messages that cannot be absent. */
function canBeAbsent(field: FieldType): boolean {
  if (field.pointer || field.repeated || field.map || field.scalar === 'any' || field.scalar === 'bytes') return true;
  return field.message !== undefined && field.message.jsonForm !== 'object';
}
