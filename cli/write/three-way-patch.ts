import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject, type JsonObject } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { member as own } from '#schema/patch/members.ts';
import { memberShape, type Shape } from '#schema/patch/merge-shape.ts';
import { mergeByKey, mergePlain, type PatchItems } from './patch-lists.ts';
import { withoutNulls } from './without-nulls.ts';

/**
 * The patch that brings an object to the state in a file. It sets the fields of the file that differ. It sets null for
 * fields that are null in the file. It also sets null for fields that the earlier file (`original`) had and this file
 * does not have. Fields that other writers added remain. With a shape, it is a strategic merge patch, in which merging
 * lists are patched item by item. Without a shape it is a merge patch (RFC 7386). It is empty if the object needs no
 * change.
 *
 * A list whose items have no keys is replaced as a whole. Another client may change this list before the patch arrives.
 * The patch therefore names the version of `current`, if `current` has a version.
 */
export function threeWayPatch(
  original: JsonObject,
  modified: JsonObject,
  current: JsonObject,
  shape: Shape = { form: 'unknown' },
): JsonObject {
  let replaced = false;
  const patch = patchOf({ original, modified, current }, shape, false, () => {
    replaced = true;
  });
  const version = isObject(current['metadata']) ? own(current['metadata'], 'resourceVersion') : undefined;
  if (!replaced || version === undefined) return patch;
  const metadata = isObject(patch['metadata']) ? patch['metadata'] : {};
  return { ...patch, metadata: { ...metadata, resourceVersion: version } };
}

interface Three {
  readonly original: JsonObject;
  readonly modified: JsonObject;
  readonly current: JsonObject;
}

/** @param retains whether members that are not in `modified` are removed, including members that others have added */
function patchOf(three: Three, shape: Shape, retains: boolean, onReplaced: () => void): JsonObject {
  const { original, modified, current } = three;
  const patch: JsonObject = {};
  for (const [name, wanted] of Object.entries(modified)) {
    const member = memberShape(shape, name);
    const there = own(current, name);
    const before = own(original, name);
    if (wanted === null) {
      if (there !== undefined && there !== null) setKey(patch, name, null);
    } else if (isObject(wanted) && isObject(there) && !member.replaces) {
      const inner = { original: isObject(before) ? before : {}, modified: wanted, current: there };
      const change = patchOf(inner, member.shape, member.retainsKeys, onReplaced);
      if (Object.keys(change).length > 0) setKey(patch, name, change);
    } else if (Array.isArray(wanted) && Array.isArray(there) && member.merges) {
      const lists = { original: Array.isArray(before) ? before : [], modified: wanted, current: there };
      const items: PatchItems = (from, to, live) =>
        patchOf({ original: from, modified: to, current: live }, member.shape, member.retainsKeys, onReplaced);
      if (member.mergeKey === undefined) mergePlain(patch, name, lists);
      else mergeByKey(patch, name, member.mergeKey, member, lists, items, onReplaced);
    } else {
      const value = withoutNulls(wanted, member.shape);
      if (!jsonEqual(value, there)) setKey(patch, name, value);
    }
  }
  for (const name of Object.keys(original))
    if (own(modified, name) === undefined && own(current, name) !== undefined) setKey(patch, name, null);
  if (retains) retainKeys(patch, modified, current);
  return inOrder(patch);
}

/**
 * Adds to a patch the names of the members that remain, if the patch changes something or the object has other members.
 */
function retainKeys(patch: JsonObject, modified: JsonObject, current: JsonObject): void {
  const names = Object.keys(modified).filter((name) => modified[name] !== null);
  const isOther = (name: string) => (own(modified, name) ?? null) === null;
  if (names.length > 0 && (Object.keys(patch).length > 0 || Object.keys(current).some(isOther)))
    patch['$retainKeys'] = names.sort();
}

/** The patch with its names in order, as the field's clients send them. */
function inOrder(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).sort(([a], [b]) => (a < b ? -1 : 1)));
}
