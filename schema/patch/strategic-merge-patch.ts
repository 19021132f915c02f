import { badRequest, type StatusError, tooLarge } from '#base/errors/status-error.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import type { MessageType } from '../descriptors/types.ts';
import { identity, orderAmong, orderMerged, places } from './list-order.ts';
import { member } from './members.ts';
import { type MemberShape, memberShape, type Shape, shapeOf } from './merge-shape.ts';
import { typeName } from './patch-errors.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const ELEMENT_ORDER = '$setElementOrder';
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList';

/**
 * The largest number of members and items that one patch copies. A body has fewer, unless the patch merges into the
 * same value again and again.
 */
const MOST_COPIED = 500_000;

/** Counts the copied parts of a patch. */
class Work {
  #left = MOST_COPIED;

  /** @throws StatusError (413) for a patch that copies more than a body can hold */
  count(copied: number): void {
    this.#left -= copied;
    if (this.#left < 0) throw tooLarge('the patch changes the same values too many times');
  }
}

/**
 * Applies a strategic merge patch: a merge patch in which lists merge by the merge key of their field, with directives:
 * - `$patch: replace | delete` in an object: it is replaced by the rest of the patch, or emptied; in an item of a
 *   merging list: the list is replaced by the patch's other items, or the item is removed;
 * - `$retainKeys: [names]`: members of the live object that are not named are removed;
 * - `$setElementOrder/FIELD: [items]`: the order of the list FIELD;
 * - `$deleteFromPrimitiveList/FIELD: [values]`: values to remove from a merging list of plain values; null removes the
 *   list, and a list that does not merge is replaced by the values.
 *
 * A directive has an effect if the patch meets an existing value of the same form. A value that is new to the object is
 * added unchanged, except for nulls. A directive in it is an unknown member. Neither argument is changed. Without
 * `type` no list merges.
 *
 * @throws StatusError: 400 for a patch that is not an object and for invalid directives, 413 for a patch that changes
 * large values many times
 * @example
 * applyStrategicMergePatch(
 *   { finalizers: ['a', 'b'] },
 *   { '$deleteFromPrimitiveList/finalizers': ['a'] },
 *   loadSchema().message('meta.v1.ObjectMeta'),
 * )
 * // => { finalizers: ['b'] }
 */
export function applyStrategicMergePatch(
  live: JsonObject,
  patch: JsonValue,
  type: MessageType | undefined,
): JsonObject {
  if (!isObject(patch)) {
    if (patch === null) return live;
    throw badRequest(`json: cannot unmarshal ${typeName(patch)} into Go value of type map[string]interface {}`);
  }
  return mergeObject(live, patch, shapeOf(type), new Work());
}

function mergeObject(live: JsonObject, patch: JsonObject, shape: Shape, work: Work): JsonObject {
  const directive = member(patch, DIRECTIVE);
  if (directive === 'delete') return {};
  if (directive === 'replace') {
    return Object.fromEntries(Object.entries(patch).filter(([name]) => name !== DIRECTIVE));
  }
  if (directive !== undefined) throw unknownDirective(directive);

  work.count(Object.keys(live).length);
  const result = retained(live, patch);
  const ordered = orderLists(result, patch, shape, work);
  for (const [key, value] of Object.entries(patch)) {
    if (key === RETAIN_KEYS || key.startsWith(ELEMENT_ORDER) || ordered.has(key)) continue;
    const deletes = key.startsWith(DELETE_PRIMITIVES);
    const name = deletes ? fieldOf(key, 'primitive list') : key;
    const current = member(result, name);
    if (value === null) {
      delete result[name];
    } else if (current !== undefined && typeName(current) === typeName(value)) {
      setKey(result, name, mergeMember(current, value, memberShape(shape, name), work, deletes));
    } else if (!deletes) {
      setKey(result, name, withoutNulls(value));
    }
  }
  return result;
}

/** The result of merging two values of one type. `deletes` contains the values to remove from a list. */
function mergeMember(live: JsonValue, value: JsonValue, field: MemberShape, work: Work, deletes = false): JsonValue {
  if (isObject(live) && isObject(value)) return field.replaces ? value : mergeObject(live, value, field.shape, work);
  if (Array.isArray(live) && Array.isArray(value) && field.merges) return mergeList(live, value, field, work, deletes);
  return value;
}

/** A copy of the live object with only the members that the patch retains. */
function retained(live: JsonObject, patch: JsonObject): JsonObject {
  const names = member(patch, RETAIN_KEYS);
  if (names === undefined) return { ...live };
  const wrong = badRequest('invalid patch format of retainKeys');
  if (!Array.isArray(names)) throw wrong;
  const kept = new Set(names);
  for (const [name, value] of Object.entries(patch)) {
    if (value !== null && !isListDirective(name) && !kept.has(name)) throw wrong;
  }
  return Object.fromEntries(Object.entries(live).filter(([name]) => kept.has(name)));
}

/**
 * Carries out the `$setElementOrder` directives together with the lists that they order. Returns the names of these
 * lists.
 */
function orderLists(result: JsonObject, patch: JsonObject, shape: Shape, work: Work): Set<string> {
  const done = new Set<string>();
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(ELEMENT_ORDER)) continue;
    const name = fieldOf(directive, 'setElementOrder list');
    const field = memberShape(shape, name);
    if (!field.known) throw badRequest(`unable to find api field in struct for the json field ${JSON.stringify(name)}`);
    if (!Array.isArray(order)) throw badRequest('invalid patch format of setElementOrder list');

    const live = member(result, name);
    const change = member(patch, name);
    if (change === null || (live === undefined && change === undefined)) continue;
    if (order.some((item) => identity(item, field.mergeKey) === undefined)) throw noMergeKey(field.mergeKey);
    done.add(name);
    if ((live !== undefined && !Array.isArray(live)) || (change !== undefined && !Array.isArray(change))) {
      if (change !== undefined) setKey(result, name, withoutNulls(change));
      continue;
    }
    work.count((live?.length ?? 0) + (change?.length ?? 0));
    checkOrder(change ?? [], order, field.mergeKey);
    setKey(result, name, orderMerged(mergedOf(live, change, field, work), order, live ?? [], field.mergeKey));
  }
  return done;
}

/** Both lists merged, or the only one that exists. */
function mergedOf(
  live: JsonValue[] | undefined,
  change: JsonValue[] | undefined,
  field: MemberShape,
  work: Work,
): JsonValue[] {
  if (live === undefined || change === undefined) return live ?? change ?? [];
  return mergeMember(live, change, field, work) as JsonValue[];
}

/** Checks an order list: it must contain the items of the patch's list in the same order. */
function checkOrder(change: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string | undefined): void {
  if (order.length === 0) return;
  let next = 0;
  const wanted = change.filter((item) => !isObject(item) || !Object.hasOwn(item, DIRECTIVE));
  for (const item of order) {
    if (next < wanted.length && identity(item, mergeKey) === identity(wanted[next] ?? null, mergeKey)) next++;
  }
  if (next < wanted.length) throw badRequest("The order in patch list doesn't match the $setElementOrder list");
}

function mergeList(
  live: JsonValue[],
  patch: JsonValue[],
  field: MemberShape,
  work: Work,
  deletes: boolean,
): JsonValue[] {
  work.count(live.length + patch.length);
  if (field.mergeKey === undefined) return deletes ? deletePlainValues(live, patch) : mergePlainValues(live, patch);
  const change = itemChanges(patch, field.mergeKey);
  if (change.replace) return change.items;

  const { removed } = change;
  const kept = removed.size === 0 ? live : live.filter((item) => !removed.has(identity(item, field.mergeKey) ?? ''));
  const merged = [...kept];
  const index = places(kept, field.mergeKey);
  const added = new Map<string, number>();
  for (const item of change.items) {
    const id = identity(item, field.mergeKey);
    if (id === undefined) throw noMergeKey(field.mergeKey);
    const at = index.get(id) ?? added.get(id);
    if (at === undefined) {
      added.set(id, merged.length);
      merged.push(item);
    } else {
      merged[at] = mergeObject(merged[at] as JsonObject, item, field.shape, work);
    }
  }
  return orderAmong(merged, change.items, index, field.mergeKey);
}

function deletePlainValues(live: readonly JsonValue[], values: readonly JsonValue[]): JsonValue[] {
  const gone = new Set(values.map((value) => identity(value, undefined)));
  return live.filter((item) => !gone.has(identity(item, undefined) ?? ''));
}

/** Merges lists of plain values to their union. */
function mergePlainValues(live: readonly JsonValue[], patch: readonly JsonValue[]): JsonValue[] {
  if (patch.some((item) => identity(item, undefined) === undefined)) {
    throw badRequest('list element types are not identical');
  }
  const both = new Map([...live, ...patch].map((item) => [identity(item, undefined), item]));
  return orderMerged([...both.values()], patch, live, undefined);
}

interface ItemChanges {
  /** The items without a directive. */
  readonly items: JsonObject[];
  /** Identities of the items to remove. */
  readonly removed: Set<string>;
  readonly replace: boolean;
}

/** Removes the directives from the items of a patch's list. */
function itemChanges(patch: readonly JsonValue[], mergeKey: string): ItemChanges {
  const items: JsonObject[] = [];
  const removed = new Set<string>();
  let replace = false;
  for (const item of patch) {
    if (!isObject(item)) throw badRequest('list element types are not identical');
    const directive = member(item, DIRECTIVE);
    if (directive === undefined) {
      items.push(item);
    } else if (directive === 'replace') {
      replace = true;
    } else if (directive === 'delete') {
      const id = identity(item, mergeKey);
      if (id === undefined) throw noMergeKey(mergeKey);
      removed.add(id);
    } else {
      throw unknownDirective(directive);
    }
  }
  return { items, removed, replace };
}

/** A value of a patch that does not merge with another value. Null members of its objects are removed. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, child] of Object.entries(value)) if (child !== null) setKey(result, name, withoutNulls(child));
  return result;
}

function isListDirective(name: string): boolean {
  return name === RETAIN_KEYS || name.startsWith(ELEMENT_ORDER) || name.startsWith(DELETE_PRIMITIVES);
}

/** The field that a directive such as `$setElementOrder/containers` names. */
function fieldOf(directive: string, what: string): string {
  const [, name = ''] = /^[^/]*\/(.*)$/s.exec(directive) ?? [];
  if (name === '' || name.includes('/')) throw badRequest(`invalid patch format of ${what}`);
  return name;
}

function unknownDirective(directive: JsonValue): StatusError {
  return badRequest(
    `unknown patch type ${JSON.stringify(isObject(directive) || Array.isArray(directive) ? typeName(directive) : String(directive))}: use "replace" or "delete"`,
  );
}

function noMergeKey(mergeKey: string | undefined): StatusError {
  return badRequest(
    mergeKey === undefined
      ? 'a list of plain values holds something else'
      : `an item does not contain the list's merge key ${JSON.stringify(mergeKey)}`,
  );
}
