import type { JsonObject } from '#base/json/json-value.ts';
import type { Steps } from '#base/time/steps.ts';
import type { ApplyType } from './apply-type.ts';
import { FieldSet } from './field-set.ts';
import type { Manager, Managers } from './managers.ts';
import { VersionedObject, type Versions } from './object-schema.ts';
import { withFieldsOnTheWay } from './reconcile.ts';
import { removeItems } from './remove-items.ts';
import { fieldSetOf } from './to-field-set.ts';

/**
 * Removes from a merged object the fields that its manager applied the last time, no longer applies, and that no other
 * manager owns. `managers` has the new fields of this manager, and `last` its fields before. The result is in the
 * version of `merged`.
 *
 * @example
 * // the applier owned a and b before, and b alone now: a goes unless another manager owns it
 * const object = yield* prune(merged, 'apps/v1', last, managers, versions);
 */
export function* prune(
  merged: JsonObject,
  apiVersion: string,
  last: Manager,
  managers: Managers,
  versions: Versions,
): Steps<JsonObject> {
  const type = versions.schema(last.apiVersion)?.type;
  if (type === undefined) return merged;
  const owned = ownedByVersion(managers);
  const kept = owned.get(last.apiVersion) ?? FieldSet.empty;
  if (last.fields.difference(kept).isEmpty) return merged;
  yield;
  const lastFields = withFieldsOnTheWay(last.fields, type);
  const before = new VersionedObject(merged, apiVersion, versions);
  const atLast = before.in(last.apiVersion);
  if (atLast === undefined) return merged;
  yield;
  let pruned = new VersionedObject(without(atLast, lastFields, type), last.apiVersion, versions);
  // The version in which the fields were applied comes first, because conversions may need these fields.
  const order = [last.apiVersion, ...[...owned.keys()].filter((version) => version !== last.apiVersion).sort()];
  for (const version of order) {
    yield;
    pruned = yield* addBackOwned(before, pruned, version, owned.get(version) ?? FieldSet.empty, versions);
  }
  yield;

  const left = pruned.in(last.apiVersion);
  if (left === undefined) return merged;
  const all = everyField(atLast, type);
  yield;
  const gone = all.difference(everyField(left, type)).intersection(lastFields);
  yield;
  const final = new VersionedObject(without(atLast, gone, type), last.apiVersion, versions);
  return final.in(apiVersion) ?? merged;
}

/**
 * An object without the values at the given paths. Clients can claim the ownership of all fields, so the result may be
 * empty.
 */
function without(object: JsonObject, paths: FieldSet, type: ApplyType): JsonObject {
  return (removeItems(object, paths, type) ?? {}) as JsonObject;
}

function ownedByVersion(managers: Managers): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet[]>();
  for (const { apiVersion, fields } of managers.values()) {
    const own = owned.get(apiVersion);
    if (own === undefined) owned.set(apiVersion, [fields]);
    else own.push(fields);
  }
  return new Map([...owned].map(([version, sets]) => [version, FieldSet.unionOf(sets)]));
}

/** Restores fields that were removed together with others although a manager in this version owns them. */
function* addBackOwned(
  merged: VersionedObject,
  pruned: VersionedObject,
  apiVersion: string,
  owned: FieldSet,
  versions: Versions,
): Steps<VersionedObject> {
  const type = versions.schema(apiVersion)?.type;
  const [before, after] = [merged.in(apiVersion), pruned.in(apiVersion)];
  if (type === undefined || before === undefined || after === undefined) return pruned;
  const stays = everyField(after, type).union(withFieldsOnTheWay(owned, type));
  yield;
  const gone = everyField(before, type).difference(stays);
  yield;
  const restored = without(before, gone, type);
  return new VersionedObject(restored, apiVersion, versions);
}

function everyField(object: JsonObject, type: ApplyType): FieldSet {
  return withFieldsOnTheWay(fieldSetOf(object, type), type);
}
