import { JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { ApplyType } from '#schema/apply/apply-type.ts';
import { compare } from '#schema/apply/compare.ts';
import { type FieldNode, FieldSet } from '#schema/apply/field-set.ts';
import { ListItemError } from '#schema/apply/list-element.ts';
import type { Manager } from '#schema/apply/managers.ts';
import { pathText } from '#schema/apply/path-element.ts';
import { sameValue } from '#schema/apply/value.ts';
import type { FieldChange, FieldConflict } from '../protocol/object-messages.ts';
import { type FieldPath, highestPaths, meet, valueAt, withValueAt } from './value-at.ts';

/** An edit: the object as it was read, as the user wants it, and as it is now. */
export interface Edit {
  readonly base: JsonObject;
  readonly mine: JsonObject;
  readonly live: JsonObject;
  readonly type: ApplyType;
}

/** A field that the user has changed. */
export interface OwnChange {
  readonly path: FieldPath;
  readonly text: string;
}

/** Fields that only the server sets. An edit of them does not count as a change. */
const NOT_COUNTED = FieldSet.ofMembers(
  ['metadata', 'resourceVersion'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
);

/** The largest number of characters of a value that is shown in a line; longer values are cut. */
const MOST_SHOWN = 300;

/** The fields that differ, each by its highest path; undefined if items of a list cannot be told apart. */
function differing(before: JsonObject, after: JsonObject, type: ApplyType): readonly FieldPath[] | undefined {
  try {
    const { added, modified, removed } = compare(before, after, type);
    return highestPaths(added.union(modified).union(removed).recursiveDifference(NOT_COUNTED));
  } catch (error) {
    if (error instanceof ListItemError) return undefined;
    throw error;
  }
}

/** The user's changes; undefined if items of a list cannot be told apart by their keys. */
export function ownChanges({ base, mine, type }: Edit): readonly OwnChange[] | undefined {
  return differing(base, mine, type)?.map((path) => ({ path, text: pathText(path) }));
}

/**
 * The fields that the user has changed and of which other clients want another value. Either these have changed the
 * fields in the meantime, or a manager applies the fields and would reset them.
 */
export function conflictsOf(
  edit: Edit,
  changes: readonly OwnChange[],
  managers: readonly Manager[],
): readonly FieldConflict[] {
  const { base, mine, live, type } = edit;
  const theirs = differing(base, live, type) ?? [];
  return changes.flatMap(({ path, text }): FieldConflict[] => {
    const [was, wanted, is] = [base, mine, live].map((value) => valueAt(value, type, path));
    if (sameValue(wanted, is)) return [];
    const owners = managers.filter(({ fields }) => hasAtOrBelow(fields, path));
    const hasChanged = theirs.some((their) => meet(their, path));
    const appliers = owners.filter(({ operation }) => operation === 'Apply');
    if (!hasChanged && appliers.length === 0) return [];
    const by = (hasChanged ? owners : appliers).map(({ manager, time = '' }) => ({ manager, time }));
    const why = hasChanged ? 'changed' : 'applied';
    return [{ path: text, base: shown(was), mine: shown(wanted), theirs: shown(is), why, by }];
  });
}

function hasAtOrBelow(fields: FieldSet, path: FieldPath): boolean {
  let set: FieldSet | undefined = fields;
  for (const [at, element] of path.entries()) {
    const node: FieldNode | undefined = set?.nodes.get(element);
    if (node === undefined) return false;
    if (at === path.length - 1) return true;
    // A manager that owns a field as a whole owns everything below it.
    if (node.children === undefined) return true;
    set = node.children;
  }
  return false;
}

/** The live object with the changes of the user, without some of them. */
export function merged({ mine, live, type }: Edit, changes: readonly OwnChange[]): JsonObject {
  let result: JsonValue | undefined = live;
  for (const { path } of changes) result = withValueAt(result, type, path, valueAt(mine, type, path));
  return result as JsonObject;
}

/** The fields in which two objects differ, with their values. */
export function fieldChanges(before: JsonObject, after: JsonObject, type: ApplyType, most: number): FieldChange[] {
  const paths = differing(before, after, type) ?? [[]];
  return paths.slice(0, most).map((path) => ({
    path: path.length === 0 ? '.' : pathText(path),
    before: shown(valueAt(before, type, path)),
    after: shown(valueAt(after, type, path)),
  }));
}

/** A value in one line; undefined if there is none. */
function shown(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : value instanceof JsonNumber ? value.text : stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
