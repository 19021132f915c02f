import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { identity, orderMerged } from '#schema/patch/list-order.ts';
import type { MemberShape } from '#schema/patch/merge-shape.ts';
import { applyStrategicMergePatch } from '#schema/patch/strategic-merge-patch.ts';
import { withoutNulls } from './without-nulls.ts';

/** A list in three states. They are the last applied list, the list in the file, and the live list. */
export interface Lists {
  readonly original: readonly JsonValue[];
  readonly modified: readonly JsonValue[];
  readonly current: readonly JsonValue[];
}

/** Makes the patch of one item of a list. */
export type PatchItems = (original: JsonObject, modified: JsonObject, current: JsonObject) => JsonObject;

/** Patches a list of plain values. Adds missing values, and removes values that the file no longer contains. */
export function mergePlain(patch: JsonObject, name: string, { original, modified, current }: Lists): void {
  const wanted = modified.filter((value) => value !== null);
  const has = (list: readonly JsonValue[]) => {
    const ids = new Set(list.map((value) => identity(value, undefined)));
    return (value: JsonValue) => ids.has(identity(value, undefined));
  };
  const [isWanted, isThere] = [has(wanted), has(current)];
  const added = wanted.filter((value, at) => !isThere(value) && wanted.indexOf(value) === at);
  const dropped = original.filter((value) => value !== null && !isWanted(value) && isThere(value));
  if (added.length > 0) patch[name] = added;
  if (dropped.length > 0) patch[`$deleteFromPrimitiveList/${name}`] = dropped;
  if (added.length + dropped.length > 0 || isReordered(current, wanted, undefined)) order(patch, name, wanted);
}

/**
 * Patches a list whose items have a key. The list is replaced if a key is missing or repeated in any of the three
 * lists.
 */
export function mergeByKey(
  patch: JsonObject,
  name: string,
  mergeKey: string,
  member: MemberShape,
  lists: Lists,
  patchItem: PatchItems,
  onReplaced: () => void,
): void {
  const [before, wanted, there] = [lists.original, lists.modified, lists.current].map((list) => byKey(list, mergeKey));
  if (before === undefined || wanted === undefined || there === undefined) {
    const whole = replacedList(member, lists, patchItem);
    if (jsonEqual(whole, lists.current)) return;
    patch[name] = [...whole, { $patch: 'replace' }];
    onReplaced();
    return;
  }
  const items: JsonObject[] = [];
  for (const [id, item] of wanted) {
    const live = there.get(id);
    const inner = live === undefined ? withoutNulls(item, member.shape) : patchItem(before.get(id) ?? {}, item, live);
    if (live === undefined || Object.keys(inner).length > 0) items.push(keyed(inner, mergeKey, item));
  }
  for (const [id, item] of before)
    if (!wanted.has(id) && there.has(id)) items.push({ $patch: 'delete', [mergeKey]: item[mergeKey]! });
  if (items.length > 0) patch[name] = items;
  if (items.length > 0 || isReordered(lists.current, lists.modified, mergeKey))
    order(
      patch,
      name,
      [...wanted.values()].map((item) => ({ [mergeKey]: item[mergeKey]! })),
    );
}

function keyed(change: JsonObject, mergeKey: string, item: JsonObject): JsonObject {
  const entries = Object.entries({ ...change, [mergeKey]: item[mergeKey]! });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Adds the requested order of a list to the patch. */
function order(patch: JsonObject, name: string, items: readonly JsonValue[]): void {
  if (items.length > 0) patch[`$setElementOrder/${name}`] = [...items];
}

/** Whether the order of a list changes although its items do not. */
function isReordered(
  current: readonly JsonValue[],
  wanted: readonly JsonValue[],
  mergeKey: string | undefined,
): boolean {
  return orderMerged(current, wanted, current, mergeKey).some((item, at) => item !== current[at]);
}

/** The items by their key. Undefined if a key is missing or repeated. */
function byKey(list: readonly JsonValue[], mergeKey: string): ReadonlyMap<string, JsonObject> | undefined {
  const items = new Map<string, JsonObject>();
  for (const item of list) {
    const id = identity(item, mergeKey);
    if (!isObject(item) || id === undefined || items.has(id)) return undefined;
    items.set(id, item);
  }
  return items;
}

/**
 * The whole list that the file requests. Items are paired by all keys of the schema (port and protocol), after defaults
 * are added. Items with equal keys are paired in their order.
 */
function replacedList(member: MemberShape, lists: Lists, patchItem: PatchItems): JsonValue[] {
  const [before, wanted, there] = [lists.original, lists.modified, lists.current].map((list) => byTurn(list, member));
  const message = member.shape.form === 'struct' ? member.shape.message : undefined;
  const result: JsonObject[] = [];
  for (const [id, item] of wanted!) {
    const [live, former] = [there!.get(id), before!.get(id)];
    let value = withoutNulls(item, member.shape);
    if (isObject(live) && isObject(item)) {
      const change = patchItem(isObject(former) ? former : {}, item, live);
      value = applyStrategicMergePatch(live, change, message);
    }
    result.push({ id, value });
  }
  const more: JsonObject[] = [];
  const keys = new Set([...wanted!.keys()].map(keyOf));
  for (const [id, value] of there!)
    if (!wanted!.has(id) && !before!.has(id)) (keys.has(keyOf(id)) ? more : result).push({ id, value });
  const ids = (list: ReadonlyMap<string, JsonValue>) => [...list.keys()].map((id) => ({ id }));
  const ordered = orderMerged(result, ids(wanted!), ids(there!), 'id') as JsonObject[];
  // These items follow the items with the same keys, so the next run matches the same pairs.
  for (const one of more)
    ordered.splice(ordered.findLastIndex(({ id }) => keyOf(String(id)) === keyOf(String(one['id']))) + 1, 0, one);
  return ordered.map(({ value }) => value!);
}

/** The keys in the id of an item, without the number of the item. */
const keyOf = (id: string): string => id.slice(id.indexOf(' '));

/** The items by their keys, and by their position among items with the same keys. */
function byTurn(list: readonly JsonValue[], { field, mergeKey = '' }: MemberShape): ReadonlyMap<string, JsonValue> {
  const names = field?.listMapKeys ?? [mergeKey];
  const defaults = names.map((name) => field?.message?.byJsonName.get(name)?.default ?? null);
  const items = new Map<string, JsonValue>();
  const turns = new Map<string, number>();
  for (const item of list) {
    const keys = names.map((name, at) =>
      String((isObject(item) && Object.hasOwn(item, name) ? item[name] : undefined) ?? defaults[at]),
    );
    const id = JSON.stringify(keys);
    const turn = turns.get(id) ?? 0;
    turns.set(id, turn + 1);
    items.set(`${turn} ${id}`, item);
  }
  return items;
}
