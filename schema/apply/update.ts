import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { atOnce, type Steps } from '#base/time/steps.ts';
import type { ManagedFieldsEntry } from '../objects/api-object.ts';
import { capUpdaters } from './cap-updaters.ts';
import { compare, ignoring } from './compare.ts';
import { FieldSet } from './field-set.ts';
import {
  decodingOrNone,
  encoding,
  type Manager,
  type ManagerName,
  type Managers,
  managerId,
  NO_MANAGERS,
  timeText,
} from './managers.ts';
import { VersionedObject, type Versions } from './object-schema.ts';
import { reconcileManagers, releaseFields } from './ownership.ts';
import { STRIPPED_FIELDS } from './stripped-fields.ts';
import { TypedError, validateTyped } from './validate-typed.ts';
import { membersOf } from './value.ts';

/** The common part of both kinds of writes. All objects are in `apiVersion`. */
export interface Write {
  /** Field manager of the request. */
  readonly manager: string;
  /** Version of the request, `apps/v1`. */
  readonly apiVersion: string;
  /** Subresource of the request; empty for the object itself. */
  readonly subresource: string;
  readonly versions: Versions;
  readonly now: Date;
  /**
   * Fields that writes through this path reset. No manager owns them through such a write: the status in writes to the
   * object itself, everything but the status in writes to the status.
   */
  readonly resetFields?: FieldSet | undefined;
}

/** A create, PUT or patch. */
export interface Update extends Write {
  /** The stored object; undefined if the write creates it. */
  readonly live: JsonObject | undefined;
  /** The object that will be stored, with defaults, before admission. */
  readonly updated: JsonObject;
}

/** The name of the manager if the request names none. */
const UNKNOWN = 'unknown';

/**
 * Records the owners of fields after an ordinary write. The writer owns the fields that it added or changed. A manager
 * loses a field that another manager changed or removed. An object without managers stays without them. There is one
 * exception. An update may reset the managers. The reset happens first, and the writer then owns only its other
 * changes. Returns the updated object with its `metadata.managedFields`. The arguments are not changed.
 */
export function trackUpdate(update: Update): JsonObject {
  return atOnce(trackUpdateInSteps(update));
}

/** Like {@link trackUpdate}, in several steps. Each step walks over an object or over a manager's fields. */
export function* trackUpdateInSteps(update: Update): Steps<JsonObject> {
  const managers = yield* startingManagers(update);
  const untracked = managers.size === 0 && update.live !== undefined && !resets(update);
  const after = untracked ? NO_MANAGERS : yield* updateManagers(update, managers);
  return yield* withManagers(update.updated, after);
}

/** The managers after an update, computed from the managers before it. */
export function* updateManagers(update: Update, before: Managers): Steps<Managers> {
  const { apiVersion, versions, resetFields = FieldSet.empty } = update;
  const schema = versions.schema(apiVersion);
  const live = update.live ?? schema?.empty ?? {};
  if (schema === undefined) return before;
  for (const object of [live, update.updated]) {
    if (!isTrackable(object, update)) return NO_MANAGERS;
    yield;
  }
  const comparison = ignoring(compare(live, update.updated, schema.type), resetFields);
  const change = {
    before: new VersionedObject(live, apiVersion, versions),
    after: new VersionedObject(update.updated, apiVersion, versions),
    apiVersion,
    comparison,
  };
  const name = nameOf(update, 'Update');
  const id = managerId(name);
  yield;
  const managers = yield* reconcileManagers(before, versions);
  const changed = comparison.modified.union(comparison.added);
  const taken = changed.difference(comparison.removed).difference(STRIPPED_FIELDS);
  const settled = hasAll(managers.get(id), taken, () =>
    comparison.removed.union(changed.intersection(STRIPPED_FIELDS)),
  );
  yield;
  const { left } = yield* releaseFields(managers, change, settled ? id : undefined, versions, resetFields);
  if (!taken.isEmpty) addTo(left, id, name, taken, update.now);
  return capUpdaters(left);
}

/**
 * Whether a manager owns all fields that a write sets, and none of the fields that the write takes from all managers.
 * This is so for nearly every write of a controller. The manager's set is then the same object as before, and its
 * encoded form is known.
 */
function hasAll(manager: Manager | undefined, taken: FieldSet, lost: () => FieldSet): boolean {
  if (manager === undefined) return false;
  const { fields } = manager;
  return fields.union(taken) === fields && fields.difference(lost()) === fields;
}

function addTo(managers: Map<string, Manager>, id: string, name: ManagerName, taken: FieldSet, now: Date): void {
  const known = managers.get(id);
  managers.set(id, { ...name, time: timeText(now), fields: known === undefined ? taken : known.fields.union(taken) });
}

/**
 * Whether the owners of an object can be tracked. If a list contains an item twice, they cannot: the owner of each of
 * the two items is unknown, so the object has no managers.
 */
function isTrackable(object: JsonObject, { versions, apiVersion }: Write): boolean {
  try {
    validateTyped(object, versions.schema(apiVersion)!.type, 'passed-over');
    return true;
  } catch (error) {
    if (error instanceof TypedError) return false;
    throw error;
  }
}

/** The manager of a write. */
export function nameOf({ manager, apiVersion, subresource }: Write, operation: ManagerName['operation']): ManagerName {
  return { manager: manager === '' ? UNKNOWN : manager, operation, apiVersion, subresource };
}

/**
 * The managers from which a write starts. Clients may send changed managers, except in a create or through a
 * subresource. A single empty entry clears the managers. An empty or malformed list comes from a client that does not
 * know managers, so the stored managers stay.
 */
function* startingManagers(update: Update): Steps<Managers> {
  const { live, updated, subresource } = update;
  if (live === undefined || resets(update)) return NO_MANAGERS;
  const stored = managedFieldsOf(live);
  const usable = yield* decodingOrNone(subresource === '' ? managedFieldsOf(updated) : undefined);
  return usable.size > 0 ? usable : yield* decodingOrNone(stored);
}

/** Whether a write clears the managers. A single empty entry does this, except through a subresource. */
function resets({ updated, subresource }: Update): boolean {
  if (subresource !== '') return false;
  const sent = managedFieldsOf(updated);
  return sent?.length === 1 && Object.keys(sent[0]!).length === 0;
}

/** The `metadata.managedFields` of an object, if it is a list of entries. */
export function managedFieldsOf(object: JsonObject): readonly ManagedFieldsEntry[] | undefined {
  const entries = membersOf(object.metadata)?.managedFields;
  return Array.isArray(entries) && entries.every(isObject) ? (entries as readonly ManagedFieldsEntry[]) : undefined;
}

/** A copy of an object with these managers in its metadata. */
export function* withManagers(object: JsonObject, managers: Managers): Steps<JsonObject> {
  const { managedFields: _, ...metadata } = membersOf(object.metadata) ?? {};
  const entries = yield* encoding(managers);
  return {
    ...object,
    metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries as unknown as JsonValue },
  };
}
