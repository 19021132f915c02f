import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { type ApplyType, DEDUCED, type DeducedType, type ListApplyType, type ObjectApplyType } from './apply-type.ts';
import { FieldSet, FieldSetBuilder } from './field-set.ts';
import { itemsByElement, listElement } from './list-element.ts';
import { memberElement, type PathElement } from './path-element.ts';
import { itemsOf, memberOf, membersOf, sameValue } from './value.ts';

/** The differences between two values. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Whether there is no difference. */
export function isSame(comparison: Comparison): boolean {
  return comparison.added.isEmpty && comparison.modified.isEmpty && comparison.removed.isEmpty;
}

/** The comparison without the ignored fields and all fields below them. */
export function ignoring(comparison: Comparison, fields: FieldSet): Comparison {
  return {
    added: comparison.added.recursiveDifference(fields),
    modified: comparison.modified.recursiveDifference(fields),
    removed: comparison.removed.recursiveDifference(fields),
  };
}

/**
 * Compares two values of a type in the parts that can have owners. Both must be valid (see `validateTyped`).
 *
 * @example compare({ a: 1, b: 2 }, { a: 1, b: 3 }, DEDUCED).modified.equals(FieldSet.ofMembers(['b'])) // => true
 */
export function compare(before: JsonValue, after: JsonValue, type: ApplyType): Comparison {
  const found = new Differences();
  compareBelow(before, after, type, found);
  return {
    added: found.added.build() ?? FieldSet.empty,
    modified: found.modified.build() ?? FieldSet.empty,
    removed: found.removed.build() ?? FieldSet.empty,
  };
}

class Differences {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();

  take(element: PathElement, below: Differences, modified: boolean): void {
    this.added.add(element, false, below.added.build());
    this.modified.add(element, modified, below.modified.build());
    this.removed.add(element, false, below.removed.build());
  }
}

/** Compares the two values behind one step. One side may be missing; null is a value. */
function compareStep(
  element: PathElement,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  type: ApplyType,
  into: Differences,
): void {
  if (before === undefined) {
    if (after !== undefined) into.added.add(element, true, pathsBelow(after, type));
    return;
  }
  if (after === undefined) {
    into.removed.add(element, true, pathsBelow(before, type));
    return;
  }
  if (before === after || (type.kind === 'leaf' && sameValue(before, after))) return;
  const below = new Differences();
  const asWhole = compareBelow(before, after, type, below);
  into.take(element, below, asWhole && !sameValue(before, after));
}

/** All paths inside a value that only one of the two compared objects has. */
function pathsBelow(value: JsonValue, type: ApplyType): FieldSet | undefined {
  if (type.kind === 'leaf') return undefined;
  const paths = new FieldSetBuilder();
  if (type.kind === 'list') {
    if (type.relation === 'atomic') return undefined;
    for (const item of itemsOf(value) ?? []) paths.add(listElement(type, item), true, pathsBelow(item, type.item));
    return paths.build();
  }
  if (type.kind === 'object' && type.atomic) return undefined;
  const members = membersOf(value) ?? {};
  for (const name of Object.keys(members)) {
    const member = memberType(type, name);
    if (member !== undefined) paths.add(memberElement(name), true, pathsBelow(members[name]!, member));
  }
  return paths.build();
}

function memberType(type: ObjectApplyType | DeducedType, name: string): ApplyType | undefined {
  return type.kind === 'deduced' ? DEDUCED : (type.fields.get(name) ?? type.others);
}

/** Collects the differences inside of two values; returns whether the values must also be compared as a whole. */
function compareBelow(before: JsonValue, after: JsonValue, type: ApplyType, into: Differences): boolean {
  switch (type.kind) {
    case 'leaf':
      return true;
    case 'list':
      if (type.relation === 'atomic' || (isEmptyList(before) && isEmptyList(after))) return true;
      compareItems(itemsOf(before), itemsOf(after), type, into);
      return false;
    case 'object':
      return type.atomic || !compareMembers(before, after, type, into);
    case 'deduced':
      if (!compareMembers(before, after, type, into)) return true;
      return isWhole(before) || isWhole(after);
  }
}

function isEmptyList(value: JsonValue): boolean {
  return !Array.isArray(value) || value.length === 0;
}

/**
 * Whether a value of an undeclared type is owned as a whole. Null is not: it has the form of the value with which it is
 * compared.
 */
function isWhole(value: JsonValue): boolean {
  return value !== null && !isObject(value);
}

/**
 * The number of items to which each step leads. Stored lists were not always checked, so several items may have the
 * same keys.
 */
function timesOf(type: ListApplyType, items: readonly JsonValue[] | undefined): Map<PathElement, number> {
  const times = new Map<PathElement, number>();
  for (const item of items ?? []) {
    const element = listElement(type, item);
    times.set(element, (times.get(element) ?? 0) + 1);
  }
  return times;
}

function compareItems(
  before: readonly JsonValue[] | undefined,
  after: readonly JsonValue[] | undefined,
  type: ListApplyType,
  into: Differences,
): void {
  const [old, current] = [itemsByElement(type, before), itemsByElement(type, after)];
  for (const [element, item] of old) compareStep(element, item, current.get(element), type.item, into);
  for (const [element, item] of current) if (!old.has(element)) compareStep(element, undefined, item, type.item, into);
  if (old.size === (before?.length ?? 0) && current.size === (after?.length ?? 0)) return;
  const now = timesOf(type, after);
  for (const [element, times] of timesOf(type, before))
    if (now.has(element) && times !== now.get(element)) into.modified.add(element, true, undefined);
}

/** Compares member by member. If neither value has members, it compares nothing and returns false. */
function compareMembers(
  before: JsonValue,
  after: JsonValue,
  type: ObjectApplyType | DeducedType,
  into: Differences,
): boolean {
  const [old, current] = [membersOf(before) ?? {}, membersOf(after) ?? {}];
  const [names, currentNames] = [Object.keys(old), Object.keys(current)];
  if (names.length === 0 && currentNames.length === 0) return false;
  for (const name of names) {
    const member = memberType(type, name);
    if (member !== undefined) compareStep(memberElement(name), old[name], memberOf(current, name), member, into);
  }
  for (const name of currentNames) {
    const member = Object.hasOwn(old, name) ? undefined : memberType(type, name);
    if (member !== undefined) compareStep(memberElement(name), undefined, current[name], member, into);
  }
  return true;
}
