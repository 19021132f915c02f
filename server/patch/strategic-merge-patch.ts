import { badRequest, type StatusError } from '../errors/status-error.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import type { MessageType } from '../schema/types.ts';
import { identity, orderMerged, places } from './list-order.ts';
import { member, setMember } from './members.ts';
import { type MemberShape, memberShape, type Shape, shapeOf } from './merge-shape.ts';
import { malformed, typeName } from './patch-errors.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const ELEMENT_ORDER = '$setElementOrder/';
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch: a merge patch in which lists merge by the merge key of their field, with directives:
 * - `$patch: replace | delete` in an object: it is replaced by the rest of the patch, or emptied; in an item of a
 *   merging list: the list is replaced by the patch's other items, or the item is removed;
 * - `$retainKeys: [names]`: members of the live object that are not named are removed;
 * - `$setElementOrder/FIELD: [items]`: the order of the list FIELD;
 * - `$deleteFromPrimitiveList/FIELD: [values]`: values to remove from a list of plain values.
 *
 * Neither argument is changed. Without `type` no list merges.
 *
 * @throws StatusError 400 for a patch that is not an object and for directives that make no sense.
 */
export function applyStrategicMergePatch(
  live: JsonObject,
  patch: JsonValue,
  type: MessageType | undefined,
): JsonObject {
  if (!isObject(patch)) {
    if (patch === null) return live;
    throw malformed(`json: cannot unmarshal ${typeName(patch)} into Go value of type map[string]interface {}`);
  }
  return mergeObject(live, patch, shapeOf(type));
}

function mergeObject(live: JsonObject, patch: JsonObject, shape: Shape): JsonObject {
  const directive = member(patch, DIRECTIVE);
  if (directive === 'replace' || directive === 'delete') return adoptObject(patch, shape);
  if (directive !== undefined) throw unknownDirective(directive);

  const result = retained(live, patch);
  const ordered = orderLists(result, patch, shape);
  for (const [name, value] of Object.entries(patch)) {
    if (name === RETAIN_KEYS || name.startsWith(ELEMENT_ORDER) || ordered.has(name)) continue;
    if (name.startsWith(DELETE_PRIMITIVES)) {
      deletePrimitives(result, fieldOf(name, DELETE_PRIMITIVES, 'primitive list'), value);
    } else if (value === null) {
      delete result[name];
    } else {
      setMember(result, name, mergeMember(member(result, name), value, memberShape(shape, name)));
    }
  }
  return result;
}

function mergeMember(live: JsonValue | undefined, value: JsonValue, field: MemberShape): JsonValue {
  if (isObject(live) && isObject(value) && !field.replaces) return mergeObject(live, value, field.shape);
  if (Array.isArray(live) && Array.isArray(value) && field.merges) return mergeList(live, value, field);
  return adopt(value, field);
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

/** Carries out the `$setElementOrder` directives together with the lists they order; returns those lists' names. */
function orderLists(result: JsonObject, patch: JsonObject, shape: Shape): Set<string> {
  const done = new Set<string>();
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(ELEMENT_ORDER)) continue;
    const name = fieldOf(directive, ELEMENT_ORDER, 'setElementOrder list');
    const field = memberShape(shape, name);
    if (!field.known) throw badRequest(`unable to find api field in struct for the json field ${JSON.stringify(name)}`);
    if (!Array.isArray(order)) throw badRequest('invalid patch format of setElementOrder list');
    if (order.some((item) => identity(item, field.mergeKey) === undefined)) throw noMergeKey(field.mergeKey);

    const live = member(result, name);
    const change = member(patch, name);
    if (change === null) continue;
    done.add(name);
    if ((live !== undefined && !Array.isArray(live)) || (change !== undefined && !Array.isArray(change))) {
      if (change !== undefined) setMember(result, name, adopt(change, field));
      continue;
    }
    if (live === undefined && change === undefined) continue;
    checkOrder(change ?? [], order, field.mergeKey);
    const merged = change === undefined ? (live ?? []) : (mergeMember(live, change, field) as JsonValue[]);
    setMember(result, name, orderMerged(merged, order, live ?? [], field.mergeKey));
  }
  return done;
}

/** The items of a patch's list must stand in the order list, in the same order. */
function checkOrder(change: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string | undefined): void {
  let next = 0;
  const wanted = change.filter((item) => !isObject(item) || !Object.hasOwn(item, DIRECTIVE));
  for (const item of order) {
    if (next < wanted.length && identity(item, mergeKey) === identity(wanted[next] ?? null, mergeKey)) next++;
  }
  if (next < wanted.length) throw badRequest("The order in patch list doesn't match the $setElementOrder list");
}

function deletePrimitives(result: JsonObject, name: string, values: JsonValue): void {
  const live = member(result, name);
  if (!Array.isArray(live) || !Array.isArray(values)) return;
  const gone = new Set(values.map((value) => identity(value, undefined)));
  const kept = live.filter((item) => !gone.has(identity(item, undefined) ?? ''));
  setMember(result, name, kept);
}

function mergeList(live: readonly JsonValue[], patch: readonly JsonValue[], field: MemberShape): JsonValue[] {
  if (field.mergeKey === undefined) return mergePlainValues(live, patch);
  const change = itemChanges(patch, field.mergeKey);
  if (change.replace) return change.items.map((item) => adopt(item, field));

  const kept = live.filter((item) => !change.removed.has(identity(item, field.mergeKey) ?? ''));
  const merged = [...kept];
  const index = places(kept, field.mergeKey);
  for (const item of change.items) {
    const id = identity(item, field.mergeKey);
    if (id === undefined) throw noMergeKey(field.mergeKey);
    const at = index.get(id);
    if (at === undefined) {
      index.set(id, merged.length);
      merged.push(adopt(item, field));
    } else {
      merged[at] = mergeObject(merged[at] as JsonObject, item, field.shape);
    }
  }
  return orderMerged(merged, change.items, kept, field.mergeKey);
}

/** Lists of plain values merge to their union. */
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

/** Takes the directives out of the items of a patch's list. */
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

/** A patch's value that merges with nothing: without nulls, and with its directives carried out. */
function adopt(value: JsonValue, field: MemberShape): JsonValue {
  if (isObject(value)) return adoptObject(value, field.shape);
  if (!Array.isArray(value)) return value;
  const directives = field.merges && field.mergeKey !== undefined && value.every(isObject);
  const items = directives ? itemChanges(value, field.mergeKey as string).items : value;
  return items.map((item) => (isObject(item) ? adoptObject(item, field.shape) : item));
}

function adoptObject(patch: JsonObject, shape: Shape): JsonObject {
  const directive = member(patch, DIRECTIVE);
  if (directive === 'delete') return {};
  // A map may hold any name: where nothing is to be merged, another text under `$patch` is an entry like the others.
  if (directive !== undefined && directive !== 'replace' && shape.form === 'struct') throw unknownDirective(directive);
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || (name === DIRECTIVE && directive === 'replace')) continue;
    if (shape.form === 'struct' && (name === RETAIN_KEYS || isListDirective(name))) continue;
    setMember(result, name, adopt(value, memberShape(shape, name)));
  }
  return result;
}

function isListDirective(name: string): boolean {
  return name === RETAIN_KEYS || name.startsWith(ELEMENT_ORDER) || name.startsWith(DELETE_PRIMITIVES);
}

/** The field that a directive such as `$setElementOrder/containers` is about. */
function fieldOf(directive: string, prefix: string, what: string): string {
  const name = directive.slice(prefix.length);
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
