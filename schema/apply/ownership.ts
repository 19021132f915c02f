import type { Steps } from '#base/time/steps.ts';
import { type Comparison, compare, ignoring } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import type { Manager, Managers } from './managers.ts';
import type { VersionedObject, Versions } from './object-schema.ts';
import { reconcileFieldSet } from './reconcile.ts';

/** An object before and after a write, and the differences in the version of the write. */
export interface Change {
  readonly before: VersionedObject;
  readonly after: VersionedObject;
  readonly apiVersion: string;
  readonly comparison: Comparison;
}

/**
 * The managers, with their fields adapted to the present schema. Managers whose version is no longer served are
 * dropped.
 */
export function* reconcileManagers(managers: Managers, versions: Versions): Steps<Managers> {
  const left = new Map<string, Manager>();
  let changed = false;
  for (const [id, manager] of managers) {
    const schema = versions.schema(manager.apiVersion);
    const fields = schema === undefined ? undefined : reconcileFieldSet(manager.fields, schema.type);
    changed ||= fields !== manager.fields;
    if (fields !== undefined) left.set(id, fields === manager.fields ? manager : { ...manager, fields });
    yield;
  }
  return changed ? left : managers;
}

/** Fields of a manager that a change sets to another value. */
export interface Conflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/**
 * The effect of a change on the fields of all other managers. Fields whose value changed are conflicts. `left` holds
 * the fields that remain if the change is made. The fields of a manager are compared in the version in which they are
 * recorded. A manager without fields is removed.
 *
 * @example
 * // 'web' now sets spec.replicas, which 'scaler' owns: one conflict with 'scaler', who has nothing left
 * const { conflicts, left } = yield* releaseFields(managers, change, 'web', versions, FieldSet.empty);
 */
export function* releaseFields(
  managers: Managers,
  change: Change,
  owner: string | undefined,
  versions: Versions,
  ignored: FieldSet,
): Steps<{ conflicts: Conflict[]; left: Map<string, Manager> }> {
  const compared = new Map<string, Taken | undefined>([[change.apiVersion, takenBy(change.comparison)]]);
  const conflicts: Conflict[] = [];
  const left = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    if (id === owner) {
      if (!manager.fields.isEmpty) left.set(id, manager);
      continue;
    }
    if (!compared.has(manager.apiVersion)) {
      compared.set(manager.apiVersion, takenBy(compareIn(manager.apiVersion, change, versions, ignored)));
      yield;
    }
    const gone = compared.get(manager.apiVersion);
    if (gone === undefined) continue;
    const taken = manager.fields.intersection(gone.set);
    if (!taken.isEmpty) conflicts.push({ manager, fields: taken });
    yield;
    const fields = manager.fields.difference(taken).difference(gone.removed);
    if (!fields.isEmpty) left.set(id, fields === manager.fields ? manager : { ...manager, fields });
  }
  return { conflicts, left };
}

/** The fields that a change takes from other managers: fields that it sets, and fields that it removes. */
interface Taken {
  readonly set: FieldSet;
  readonly removed: FieldSet;
}

/** The result is computed once for all managers of a version. */
function takenBy(comparison: Comparison | undefined): Taken | undefined {
  if (comparison === undefined) return undefined;
  return { set: comparison.modified.union(comparison.added), removed: comparison.removed };
}

function compareIn(apiVersion: string, change: Change, versions: Versions, ignored: FieldSet): Comparison | undefined {
  const type = versions.schema(apiVersion)?.type;
  const [before, after] = [change.before.in(apiVersion), change.after.in(apiVersion)];
  if (type === undefined || before === undefined || after === undefined) return undefined;
  return ignoring(compare(before, after, type), ignored);
}
