import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { CheckWork } from './check-work.ts';
import { itemFinder } from './match-items.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The work to compare a value with its old state, in steps. */
const COMPARE_WORK = 8;
/** Members that a client cannot change, because both objects are converted to the version of the request. */
const TYPE_NAMES = new Set(['apiVersion', 'kind']);

/**
 * Compares values with their state before a change. An invalid value may stay while it does not change, so that a
 * schema may become stricter. A check uses this class only when it finds an error. Map values are compared by key,
 * items of keyed lists by their keys, and other lists as a whole. Members that the schema does not name count as
 * changed. Each value is compared once.
 */
export class Ratchet {
  readonly #work: Pick<CheckWork, 'charge'> | undefined;
  readonly #known = new Map<object, boolean>();

  /** @param work the work to which comparisons are charged */
  constructor(work?: Pick<CheckWork, 'charge'>) {
    this.#work = work;
  }

  /** Whether a value has not changed. False if its old state is unknown (`old` is undefined). */
  isSame(schema: StructuralSchema, value: JsonValue, old: JsonValue | undefined): boolean {
    if (old === undefined) return false;
    this.#work?.charge(COMPARE_WORK);
    if (!isNested(value) || !isNested(old)) return jsonEqual(value, old);
    let same = this.#known.get(value);
    if (same === undefined) {
      same = Array.isArray(value) ? this.#sameList(schema, value, old) : this.#sameObject(schema, value, old);
      this.#known.set(value, same);
    }
    return same;
  }

  #sameList(schema: StructuralSchema, list: readonly JsonValue[], old: JsonValue): boolean {
    if (!Array.isArray(old) || list.length !== old.length) return false;
    const { items, listType } = schema;
    if (listType !== 'map' || items === undefined) {
      this.#work?.charge(list.length * COMPARE_WORK);
      return jsonEqual(list as JsonValue, old);
    }
    const oldItem = itemFinder(schema, old);
    return list.every((item) => this.isSame(items, item, oldItem(item)));
  }

  #sameObject(schema: StructuralSchema, object: JsonObject, old: JsonValue): boolean {
    if (!isObject(old)) return false;
    const names = Object.keys(object);
    if (names.length !== Object.keys(old).length) return false;
    return names.every((name) => {
      const member = memberSchema(schema, name);
      return member !== undefined && this.isSame(member, object[name]!, oldMember(old, name));
    });
  }
}

function isNested(value: JsonValue): value is JsonObject | JsonValue[] {
  return Array.isArray(value) || isObject(value);
}

/** The schema of a member that a schema names or allows. */
export function memberSchema({ properties, additional }: StructuralSchema, name: string): StructuralSchema | undefined {
  return properties.get(name) ?? (typeof additional === 'object' ? additional : undefined);
}

/** The old value of a member; undefined if there was none. The version and kind of the root always count as changed. */
export function oldMember(old: JsonValue | undefined, name: string, isRoot = false): JsonValue | undefined {
  if (old === undefined || !isObject(old) || !Object.hasOwn(old, name)) return undefined;
  return isRoot && TYPE_NAMES.has(name) ? undefined : old[name];
}
