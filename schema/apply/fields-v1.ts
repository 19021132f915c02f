import { sortInSteps } from '#base/collections/sort-in-steps.ts';
import { sortShort } from '#base/collections/sort-short.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { atOnce, type Steps } from '#base/time/steps.ts';
import { type FieldNode, FieldSet, FieldSetBuilder } from './field-set.ts';
import { comparePathElements, parsePathElement } from './path-element.ts';

/** A field set that cannot be read. */
export class FieldSetError extends Error {}

/** The path that ends here. */
const SELF = '.';

/** A node of a path that is in the set, without paths below it. */
const LEAF: FieldNode = { member: true, children: undefined };

/** A set with this number of steps at one place, or more, is written with pauses. */
const WIDE = 2_048;

const written = new WeakMap<FieldSet, JsonObject>();

/**
 * Reads the FieldsV1 form. Steps of unknown kinds are ignored.
 *
 * @throws FieldSetError.
 */
export function parseFieldSet(fields: JsonValue): FieldSet {
  const { children = FieldSet.empty } = parseNode(fields);
  if (isObject(fields) && !children.isEmpty) written.set(children, fields);
  return children;
}

function parseNode(fields: JsonValue): FieldNode {
  if (!isObject(fields)) throw new FieldSetError('a field set is an object of objects');
  const steps = Object.keys(fields);
  if (steps.length === 0) return LEAF;
  const below = new FieldSetBuilder();
  let member = false;
  for (const text of steps) {
    if (text === SELF) {
      member = true;
      continue;
    }
    const element = parsePathElement(text);
    if (element === 'ignored') continue;
    if (element === 'wrong') throw new FieldSetError(`"${text}" is not a step of a field path`);
    const node = parseNode(fields[text]!);
    below.add(element, node.member, node.children);
  }
  return { member, children: below.build() };
}

/** The FieldsV1 form with steps in order. Callers must not change it, because equal sets may share it. */
export function* serializingFieldSet(set: FieldSet): Steps<JsonObject> {
  let fields = written.get(set);
  if (fields === undefined) {
    fields = isWide(set) ? yield* serializing(set, false) : serialize(set, false);
    written.set(set, fields);
  }
  return fields;
}

/** {@link serializingFieldSet}, at once. */
export function serializeFieldSet(set: FieldSet): JsonObject {
  return atOnce(serializingFieldSet(set));
}

function isWide(set: FieldSet): boolean {
  if (set.nodes.size >= WIDE) return true;
  for (const { children } of set.nodes.values()) if (children !== undefined && isWide(children)) return true;
  return false;
}

function serialize(set: FieldSet, member: boolean): JsonObject {
  const out: JsonObject = member ? { [SELF]: {} } : {};
  for (const element of sortShort([...set.nodes.keys()], comparePathElements)) {
    const node = set.nodes.get(element)!;
    setKey(out, element, node.children === undefined ? {} : serialize(node.children, node.member));
  }
  return out;
}

/** {@link serialize} with pauses, for sets that are wide or have a wide one below. */
function* serializing(set: FieldSet, member: boolean): Steps<JsonObject> {
  const out: JsonObject = member ? { [SELF]: {} } : {};
  let done = 0;
  for (const element of yield* sortInSteps([...set.nodes.keys()], comparePathElements)) {
    const node = set.nodes.get(element)!;
    setKey(out, element, node.children === undefined ? {} : yield* serializing(node.children, node.member));
    if (++done % WIDE === 0) yield;
  }
  return out;
}
