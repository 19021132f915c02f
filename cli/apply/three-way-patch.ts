import { jsonEqual } from '../../server/json/json-equal.ts';
import { isObject, type JsonObject, type JsonValue } from '../../server/json/json-value.ts';
import { type MemberShape, memberShape, type Shape } from '../../server/patch/merge-shape.ts';

/**
 * The patch that brings an object to what a file says now: fields of the file that differ, and null for those that the
 * file had before (`original`) and has no more. What others have added stays. With a shape lists that merge are patched
 * item by item, as a strategic merge patch does; without one it is a merge patch (RFC 7386). Empty where nothing is to do.
 */
export function threeWayPatch(
  original: JsonObject,
  modified: JsonObject,
  current: JsonObject,
  shape: Shape = { form: 'unknown' },
): JsonObject {
  const patch: JsonObject = {};
  for (const [name, wanted] of Object.entries(modified)) {
    if (wanted === null) continue;
    const member = memberShape(shape, name);
    const there = own(current, name);
    const before = own(original, name);
    if (isObject(wanted) && isObject(there)) {
      const inner = threeWayPatch(isObject(before) ? before : {}, wanted, there, member.shape);
      if (Object.keys(inner).length > 0) patch[name] = inner;
    } else if (Array.isArray(wanted) && Array.isArray(there) && member.merges)
      mergeLists(patch, name, member, {
        original: Array.isArray(before) ? before : [],
        modified: wanted,
        current: there,
      });
    else if (!jsonEqual(wanted, there)) patch[name] = wanted;
  }
  for (const name of Object.keys(original))
    if ((own(modified, name) ?? null) === null && own(current, name) !== undefined) patch[name] = null;
  return inOrder(patch);
}

/** With its names in order, as the field's clients send them. */
function inOrder(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

interface Lists {
  readonly original: readonly JsonValue[];
  readonly modified: readonly JsonValue[];
  readonly current: readonly JsonValue[];
}

function mergeLists(patch: JsonObject, name: string, { mergeKey, shape }: MemberShape, lists: Lists): void {
  if (mergeKey === undefined) mergePlain(patch, name, lists);
  else mergeByKey(patch, name, mergeKey, shape, lists);
}

/** Lists of plain values: those that are missing are added, those that the file has dropped are removed. */
function mergePlain(patch: JsonObject, name: string, { original, modified, current }: Lists): void {
  const has = (list: readonly JsonValue[], value: JsonValue) => list.some((each) => jsonEqual(each, value));
  const added = modified.filter((value) => !has(current, value));
  const dropped = original.filter((value) => !has(modified, value) && has(current, value));
  if (added.length > 0) patch[name] = added;
  if (dropped.length > 0) patch[`$deleteFromPrimitiveList/${name}`] = dropped;
  if (added.length > 0 || dropped.length > 0) patch[`$setElementOrder/${name}`] = [...modified];
}

function mergeByKey(
  patch: JsonObject,
  name: string,
  mergeKey: string,
  shape: Shape,
  { original, modified, current }: Lists,
): void {
  const isItem = (value: JsonValue): value is JsonObject => isObject(value) && own(value, mergeKey) !== undefined;
  if (!modified.every(isItem) || !current.every(isItem)) {
    if (!jsonEqual(modified, current)) patch[name] = [...modified];
    return;
  }
  const find = (list: readonly JsonValue[], key: JsonValue | undefined): JsonObject | undefined =>
    list.filter(isItem).find((item) => jsonEqual(item[mergeKey], key));
  const items: JsonObject[] = [];
  for (const item of modified) {
    const key = item[mergeKey]!;
    const there = find(current, key);
    const inner = there === undefined ? item : threeWayPatch(find(original, key) ?? {}, item, there, shape);
    if (there === undefined || Object.keys(inner).length > 0) items.push(inOrder({ ...inner, [mergeKey]: key }));
  }
  for (const item of original.filter(isItem)) {
    const key = item[mergeKey]!;
    if (find(modified, key) === undefined && find(current, key) !== undefined)
      items.push({ $patch: 'delete', [mergeKey]: key });
  }
  if (items.length === 0) return;
  patch[name] = items;
  patch[`$setElementOrder/${name}`] = modified.map((item) => ({ [mergeKey]: item[mergeKey]! }));
}
