import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { type ApplyType, DEDUCED, type ListApplyType } from './apply-type.ts';
import { itemsByElement, listElement } from './list-element.ts';
import { itemsOf, memberOf, membersOf, sameValue } from './value.ts';

/**
 * Merges an applied value into a live one. Applied members replace live ones, and members that the applied value lacks
 * stay. An empty or null object or list that is not owned as a whole does not change the content of the live one.
 * Neither side is changed. The result shares their parts. If nothing differs, it is the live value itself.
 *
 * @example merge({ a: 1, b: 2 }, { b: 3 }, DEDUCED) // => { a: 1, b: 3 }
 */
export function merge(live: JsonValue | undefined, applied: JsonValue, type: ApplyType): JsonValue {
  if (live === undefined) return applied;
  switch (type.kind) {
    case 'leaf':
      return whole(live, applied);
    case 'list':
      return type.relation === 'atomic' ? whole(live, applied) : mergeItems(live, applied, type);
    case 'object':
      if (type.atomic) return whole(live, applied);
      return mergeMembers(live, applied, (name) => type.fields.get(name) ?? type.others ?? DEDUCED);
    case 'deduced':
      if (membersOf(live) === undefined || (applied !== null && membersOf(applied) === undefined))
        return whole(live, applied);
      return mergeMembers(live, applied, () => DEDUCED);
  }
}

function whole(live: JsonValue, applied: JsonValue): JsonValue {
  return sameValue(live, applied) ? live : applied;
}

function mergeMembers(live: JsonValue, applied: JsonValue, typeOf: (name: string) => ApplyType): JsonValue {
  const [old, wanted] = [membersOf(live), membersOf(applied)];
  if (old === undefined || Object.keys(old).length === 0) return whole(live, applied);
  let merged: JsonObject | undefined;
  for (const name of Object.keys(wanted ?? {})) {
    const before = memberOf(old, name);
    const after = merge(before, wanted![name]!, typeOf(name));
    if (after !== before) setKey((merged ??= { ...old }), name, after);
  }
  return merged ?? live;
}

/**
 * Applied items keep their order in the configuration. Items that only the live list has keep their position relative
 * to the common items, if the common items have the same order in both lists.
 */
function mergeItems(live: JsonValue, applied: JsonValue, type: ListApplyType): JsonValue {
  const [old, wanted] = [itemsOf(live) ?? [], itemsOf(applied) ?? []];
  if (old.length === 0) return whole(live, applied);
  if (wanted.length === 0) return live;
  const before = itemsByElement(type, old);
  const after = itemsByElement(type, wanted);
  const shared = [...after.keys()].filter((element) => before.has(element));
  const order = after.entries();
  const merged: JsonValue[] = [];
  // Adds the applied items up to and including the item `last`.
  const emitApplied = (last?: string): void => {
    for (let next = order.next(); !next.done; next = order.next()) {
      const [element, item] = next.value;
      merged.push(merge(before.get(element), item, type.item));
      if (element === last) return;
    }
  };
  let nextShared = 0;
  for (const item of old) {
    const element = listElement(type, item);
    // Items with the same keys stay until one of them is applied. Then only the applied item remains.
    if (!after.has(element)) merged.push(item);
    else if (element === shared[nextShared]) {
      emitApplied(element);
      nextShared++;
    }
  }
  emitApplied();
  return merged.length === old.length && merged.every((item, i) => item === old[i]) ? live : merged;
}
