import { sortInSteps } from '#base/collections/sort-in-steps.ts';
import { sortShort } from '#base/collections/sort-short.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { atOnce, type Steps } from '#base/time/steps.ts';
import { type FieldNode, FieldSet, FieldSetBuilder } from './field-set.ts';
import { type PathElement, parsePathElement, pathElementOrder } from './path-element.ts';

/** The error about a malformed field set. */
export class FieldSetError extends Error {}

/** The path that ends here. */
const SELF = '.';

/** A node of a path that is in the set, without paths below it. */
const LEAF: FieldNode = { member: true, children: undefined };

/**
 * A set with at least this number of steps at one place is written with pauses. Reading pauses after the same number of
 * steps.
 */
const WIDE = 2_048;

const written = new WeakMap<FieldSet, JsonObject>();

/**
 * Reads the FieldsV1 form. Steps of unknown kinds are ignored.
 *
 * @throws FieldSetError.
 */
export function parseFieldSet(fields: JsonValue): FieldSet {
  return atOnce(parsingFieldSet(fields));
}

/** Like {@link parseFieldSet}, with pauses. */
export function* parsingFieldSet(fields: JsonValue): Steps<FieldSet> {
  const parsing = new Parsing(fields);
  while (!parsing.goOn(WIDE)) yield;
  const { children = FieldSet.empty } = parsing.node;
  if (isObject(fields) && !children.isEmpty) written.set(children, fields);
  return children;
}

/** An object of FieldsV1 that has been read only partly. */
interface Open {
  /** The step that leads to it. */
  readonly element: PathElement;
  readonly fields: JsonObject;
  readonly steps: readonly string[];
  next: number;
  member: boolean;
  readonly below: FieldSetBuilder;
}

/** Reads a FieldsV1 form. It can pause after any step, so it keeps the objects above that step itself. */
class Parsing {
  /** The node of the whole form, after all of it is read. */
  node: FieldNode = LEAF;
  readonly #open: Open[] = [];

  constructor(fields: JsonValue) {
    this.#enter('', fields);
  }

  /** Reads up to `most` further steps. Returns whether all steps are read. @throws FieldSetError */
  goOn(most: number): boolean {
    const open = this.#open;
    for (let left = most; open.length > 0; ) {
      const top = open[open.length - 1]!;
      if (top.next === top.steps.length) {
        open.pop();
        this.#leave(top.element, { member: top.member, children: top.below.build() });
        continue;
      }
      if (left-- === 0) return false;
      const text = top.steps[top.next++]!;
      if (text === SELF) {
        top.member = true;
        continue;
      }
      const element = parsePathElement(text);
      if (element === 'ignored') continue;
      if (element === 'wrong') throw new FieldSetError(`"${text}" is not a step of a field path`);
      this.#enter(element, top.fields[text]!);
    }
    return true;
  }

  #enter(element: PathElement, fields: JsonValue): void {
    if (!isObject(fields)) throw new FieldSetError('a field set is an object of objects');
    const steps = Object.keys(fields);
    if (steps.length === 0) this.#leave(element, LEAF);
    else this.#open.push({ element, fields, steps, next: 0, member: false, below: new FieldSetBuilder() });
  }

  #leave(element: PathElement, node: FieldNode): void {
    const above = this.#open.at(-1);
    if (above === undefined) this.node = node;
    else above.below.add(element, node.member, node.children);
  }
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

/** Like {@link serializingFieldSet}, at once. */
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
  for (const element of sortShort([...set.nodes.keys()], pathElementOrder())) {
    const node = set.nodes.get(element)!;
    setKey(out, element, node.children === undefined ? {} : serialize(node.children, node.member));
  }
  return out;
}

/** Like {@link serialize} with pauses, for sets that are wide or contain a wide set. */
function* serializing(set: FieldSet, member: boolean): Steps<JsonObject> {
  const out: JsonObject = member ? { [SELF]: {} } : {};
  let done = 0;
  for (const element of yield* sortInSteps([...set.nodes.keys()], pathElementOrder())) {
    const node = set.nodes.get(element)!;
    setKey(out, element, node.children === undefined ? {} : yield* serializing(node.children, node.member));
    if (++done % WIDE === 0) yield;
  }
  return out;
}
