import { compareText } from '#base/collections/sort-short.ts';
import { atOnce, type Steps } from '#base/time/steps.ts';
import { asJson } from '#schema/objects/as-json.ts';
import type { ManagedFieldsEntry } from '../objects/api-object.ts';
import { formatTime } from '../values/time.ts';
import { FieldSet } from './field-set.ts';
import { FieldSetError, parsingFieldSet, serializingFieldSet } from './fields-v1.ts';
import { sameValue } from './value.ts';

export type Operation = 'Apply' | 'Update';

/**
 * The identity of a manager. A manager that applies is the same manager in every version. A manager that updates is a
 * different manager in each version.
 */
export interface ManagerName {
  readonly manager: string;
  readonly operation: Operation;
  /** Version the fields are recorded in. */
  readonly apiVersion: string;
  /** The subresource; empty for the object itself. */
  readonly subresource: string;
}

/** A manager and its fields. */
export interface Manager extends ManagerName {
  /** When the manager last took or changed a field, as RFC 3339 in whole seconds. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Managers by their identifier. */
export type Managers = ReadonlyMap<string, Manager>;

export const NO_MANAGERS: Managers = new Map();

/** The identifier of a manager. */
export function managerId(name: ManagerName): string {
  const version = name.operation === 'Apply' ? '' : name.apiVersion;
  return JSON.stringify([name.manager, name.operation, version, name.subresource]);
}

/** The error about a malformed list of managed fields. */
class ManagedFieldsError extends Error {}

/**
 * Reads `metadata.managedFields`. If several entries have the same manager, the last one is used.
 *
 * @throws ManagedFieldsError.
 */
export function decodeManagers(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  return atOnce(decoding(entries));
}

/** Like {@link decodeManagers}, but a malformed list has no managers. */
export function decodeManagersOrNone(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  return atOnce(decodingOrNone(entries));
}

function* decoding(entries: readonly ManagedFieldsEntry[] | undefined): Steps<Managers> {
  if (entries === undefined || entries.length === 0) return NO_MANAGERS;
  const managers = new Map<string, Manager>();
  for (const entry of entries) {
    const manager = yield* decodingEntry(entry);
    managers.set(managerId(manager), manager);
    yield;
  }
  return managers;
}

/** Like {@link decodeManagersOrNone}, entry by entry. */
export function* decodingOrNone(entries: readonly ManagedFieldsEntry[] | undefined): Steps<Managers> {
  try {
    return yield* decoding(entries);
  } catch (error) {
    if (error instanceof ManagedFieldsError) return NO_MANAGERS;
    throw error;
  }
}

function* decodingEntry(entry: ManagedFieldsEntry): Steps<Manager> {
  const { operation, apiVersion = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update')
    throw new ManagedFieldsError('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new ManagedFieldsError('apiVersion must not be empty');
  if (entry.fieldsType !== 'FieldsV1') throw new ManagedFieldsError('fieldsType must be `FieldsV1`');
  return {
    manager: entry.manager ?? '',
    operation,
    apiVersion,
    subresource: entry.subresource ?? '',
    time: entry.time ?? undefined,
    fields: yield* decodingFields(entry),
  };
}

function* decodingFields(entry: ManagedFieldsEntry): Steps<FieldSet> {
  try {
    return entry.fieldsV1 === undefined ? FieldSet.empty : yield* parsingFieldSet(entry.fieldsV1);
  } catch (error) {
    if (error instanceof FieldSetError) throw new ManagedFieldsError(error.message);
    throw error;
  }
}

/**
 * Writes `metadata.managedFields`. Managers that apply come first. Then the order depends on the time in whole seconds
 * (managers without a time first), the name and the version.
 */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  return atOnce(encoding(managers));
}

/** Like {@link encodeManagers}, entry by entry. */
export function* encoding(managers: Managers): Steps<ManagedFieldsEntry[] | undefined> {
  if (managers.size === 0) return undefined;
  const entries: ManagedFieldsEntry[] = [];
  for (const manager of [...managers.values()].sort(compareManagers)) {
    entries.push(yield* encodingEntry(manager));
    yield;
  }
  return entries;
}

function* encodingEntry(manager: Manager): Steps<ManagedFieldsEntry> {
  return {
    ...(manager.manager === '' ? {} : { manager: manager.manager }),
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: yield* serializingFieldSet(manager.fields),
    ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
  };
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** The time of a manager in whole seconds; 0 without a time. */
export function secondsOf(manager: Manager): number {
  const milliseconds = manager.time === undefined ? Number.NaN : Date.parse(manager.time);
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000);
}

/** Whether two lists are equal except for the times. Compares entry by entry. */
export function* comparingButTimes(a: readonly ManagedFieldsEntry[], b: readonly ManagedFieldsEntry[]): Steps<boolean> {
  if (a.length !== b.length) return false;
  if (a.every((entry, i) => isTwin(entry, b[i]!))) return true;
  yield;
  const [left, right] = [yield* decodingOrNone(a), yield* decodingOrNone(b)];
  if (left.size !== right.size) return false;
  for (const [id, manager] of left) {
    const other = right.get(id);
    if (other === undefined || other.apiVersion !== manager.apiVersion) return false;
    if (!other.fields.equals(manager.fields)) return false;
    yield;
  }
  return true;
}

/**
 * Whether two entries have the same spelling except for the time. This check is cheaper than a comparison of their
 * sets.
 */
function isTwin({ time: _, ...a }: ManagedFieldsEntry, { time: __, ...b }: ManagedFieldsEntry): boolean {
  return sameValue(asJson(a), asJson(b));
}

/** A time in the form of managed fields. */
export function timeText(now: Date): string {
  return formatTime(now.getTime());
}
