import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { identity } from '#schema/patch/list-order.ts';
import { member as own } from '#schema/patch/members.ts';
import { type MemberShape, memberShape, type Shape } from '#schema/patch/merge-shape.ts';
import { withoutNulls } from './without-nulls.ts';

type Value = JsonValue | undefined;

/** A field in three states. They are the file at the last apply, the present file, and the live object. */
interface Three {
  readonly original: Value;
  readonly modified: Value;
  readonly current: Value;
}

/**
 * The fields (`spec.replicas`, `spec.containers[name="web"].image`) that another client changed since the last apply,
 * and that the file sets to a third value. Members that neither the file nor the last apply contains are skipped.
 */
export function contestedFields(
  original: JsonObject,
  modified: JsonObject,
  current: JsonObject,
  shape: Shape = { form: 'unknown' },
): string[] {
  const found: string[] = [];
  inMembers({ original, modified, current }, shape, '', found);
  return found;
}

function inMembers({ original, modified, current }: Three, shape: Shape, path: string, found: string[]): void {
  const of = (value: Value, name: string) => (isObject(value) ? own(value, name) : undefined);
  // If the file omits a map, apply removes the map with the members that others have added. A struct also has defaults,
  // which no client has added.
  const stated = modified === undefined && shape.form !== 'struct' ? [original, current] : [original, modified];
  for (const name of new Set(stated.flatMap((value) => (isObject(value) ? Object.keys(value) : []))))
    inField(
      { original: of(original, name), modified: of(modified, name), current: of(current, name) },
      memberShape(shape, name),
      path === '' ? name : `${path}.${name}`,
      found,
    );
}

function inField(three: Three, member: MemberShape, path: string, found: string[]): void {
  const { original, modified, current } = three;
  const wanted = modified ?? original;
  if (isObject(wanted) && isObject(current) && modified !== null && !member.replaces) {
    inMembers(three, member.shape, path, found);
    return;
  }
  if (Array.isArray(wanted) && Array.isArray(current) && modified !== null && member.merges) {
    if (member.mergeKey === undefined || inItems(three, member, member.mergeKey, path, found)) return;
  }
  const value = modified === undefined ? undefined : withoutNulls(modified, member.shape);
  if (!jsonEqual(value ?? null, current ?? null) && !covers(current, original)) found.push(path);
}

/** Compares the items of a list. Returns false if their keys do not identify them. */
function inItems(three: Three, member: MemberShape, mergeKey: string, path: string, found: string[]): boolean {
  const [before, wanted, there] = [three.original, three.modified, three.current].map((list) => {
    const items = Array.isArray(list) ? list : [];
    const map = new Map(items.map((item) => [identity(item, mergeKey), item]));
    return map.size === items.length && !map.has(undefined) ? map : undefined;
  });
  if (before === undefined || wanted === undefined || there === undefined) return false;
  for (const [id, item] of new Map([...before, ...wanted])) {
    const live = there.get(id);
    if (live === undefined && !(before.has(id) && wanted.has(id))) continue;
    const key = isObject(item) ? item[mergeKey]! : null;
    const place = `${path}[${mergeKey}=${typeof key === 'string' ? JSON.stringify(key) : String(key)}]`;
    const one = { original: before.get(id), modified: wanted.get(id), current: live };
    inField(one, { ...member, replaces: false, merges: false }, place, found);
  }
  return true;
}

/** Whether a value contains everything that another value contains. Objects may have more members, such as defaults. */
function covers(value: Value, stated: Value): boolean {
  if (stated === undefined || stated === null) return value === undefined || value === null;
  if (Array.isArray(stated))
    return (
      Array.isArray(value) && value.length === stated.length && stated.every((item, at) => covers(value[at], item))
    );
  if (!isObject(stated)) return jsonEqual(value, stated);
  return isObject(value) && Object.entries(stated).every(([name, inner]) => covers(own(value, name), inner));
}
