import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { identity } from '#schema/patch/list-order.ts';
import { type MemberShape, memberShape, type Shape } from '#schema/patch/merge-shape.ts';

/** Changes a merged object in place. In lists that merge, the items of the patch come first, in the patch's order. */
export function patchedFirst(merged: JsonObject, patch: JsonObject, shape: Shape): void {
  for (const [name, change] of Object.entries(patch)) {
    const value = merged[name];
    const member = memberShape(shape, name);
    if (isObject(value) && isObject(change)) patchedFirst(value, change, member.shape);
    else if (Array.isArray(value) && Array.isArray(change) && member.merges)
      merged[name] = inOrderOf(value, change, member);
  }
}

function inOrderOf(list: JsonValue[], patch: readonly JsonValue[], { mergeKey, shape }: MemberShape): JsonValue[] {
  const of = (id: string | undefined) => (item: JsonValue) => id !== undefined && identity(item, mergeKey) === id;
  const first = patch.flatMap((change) => {
    const item = list.find(of(identity(change, mergeKey)));
    if (isObject(item) && isObject(change)) patchedFirst(item, change, shape);
    return item === undefined ? [] : [item];
  });
  return [...first, ...list.filter((item) => !first.includes(item))];
}
