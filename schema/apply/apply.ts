import { badRequest } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { atOnce, type Steps } from '#base/time/steps.ts';
import type { ApplyType, ObjectSchema } from './apply-type.ts';
import { type ClientSideApply, configBehind, withoutAllowed } from './client-side-apply.ts';
import { compare, ignoring, isSame } from './compare.ts';
import { conflictError } from './conflict-error.ts';
import { FieldSet } from './field-set.ts';
import { decodingOrNone, type Manager, type Managers, managerId, timeText } from './managers.ts';
import { merge } from './merge.ts';
import { VersionedObject } from './object-schema.ts';
import { type Conflict, reconcileManagers, releaseFields } from './ownership.ts';
import { prune } from './prune.ts';
import { stripManager } from './stripped-fields.ts';
import { fieldSetOf } from './to-field-set.ts';
import { managedFieldsOf, nameOf, updateManagers, type Write, withManagers } from './update.ts';
import { TypedError, validateTyped } from './validate-typed.ts';
import { memberOf, membersOf } from './value.ts';

/** A server-side apply. */
export interface Apply extends Write {
  /** The stored object in the version of the request; undefined if the apply creates it. */
  readonly live: JsonObject | undefined;
  /** The body, as sent. */
  readonly config: JsonObject;
  /** Whether to take fields from other managers instead of failing. */
  readonly force: boolean;
  /** Whether the live object may have items with the same keys, as in releases since 1.29. */
  readonly toleratesRepeats?: boolean;
  /** Set if a client may change from client-side apply to server-side apply. */
  readonly clientSide?: ClientSideApply | undefined;
}

/** The outcome of an apply. */
export interface Applied {
  /** The object with its `metadata.managedFields`, before defaults and the canonical form. */
  readonly object: JsonObject;
  /** Whether anything except ownership differs from the live object. */
  readonly changed: boolean;
}

/** The manager of the fields that an object had before its first manager. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * Applies a configuration. It is merged into the live object. Fields that its manager no longer applies and that no
 * other manager owns are removed. The owners of all fields are recorded.
 *
 * @throws StatusError: 400 if the configuration does not match its schema, has another version, or cannot be merged
 * into the live object; 409 if the fields of other managers would change
 */
export function apply(request: Apply): Applied {
  return atOnce(applyInSteps(request));
}

/** Like {@link apply}, in several steps. Each step walks over an object or over a manager's fields. */
export function* applyInSteps(request: Apply): Steps<Applied> {
  const { apiVersion, versions, resetFields = FieldSet.empty, config } = request;
  const schema = versions.schema(apiVersion);
  if (schema === undefined) throw badRequest(`no schema for ${apiVersion}`);
  checkConfig(request, schema.type);
  yield;
  // A created object shares parts with the empty object from which it starts.
  const live = request.live ?? cloneJson(schema.empty);
  requireTyped(live, schema.type, 'passed-over', 'failed to create typed live object', request.toleratesRepeats);
  yield;

  const owner = nameOf(request, 'Apply');
  const id = managerId(owner);
  const known = yield* reconcileManagers(yield* knownManagers(request, schema), versions);
  const last = known.get(id);
  const applied = fieldSetOf(config, schema.type).recursiveDifference(resetFields);
  yield;
  const fields = last?.fields.equals(applied) ? last.fields : applied;
  const managers = new Map(known).set(id, { ...owner, time: last?.time, fields });
  yield;

  const merged = merge(live, config, schema.type) as JsonObject;
  yield;
  const object = last === undefined ? merged : yield* prune(merged, apiVersion, last, managers, versions);
  yield;
  const comparison = ignoring(compare(live, object, schema.type), resetFields);
  const change = {
    before: new VersionedObject(live, apiVersion, versions),
    after: new VersionedObject(object, apiVersion, versions),
    apiVersion,
    comparison,
  };
  yield;
  const { conflicts, left } = yield* releaseFields(managers, change, id, versions, resetFields);
  if (!request.force) refuseConflicts(conflicts, request, live, schema.type);

  const changed = !isSame(comparison);
  const after = stripManager(changed ? stamped(left, id, request.now) : left, id);
  const result = yield* withManagers(changed ? object : live, after);
  return { object: configBehind(result, request), changed };
}

function checkConfig({ config, apiVersion }: Apply, type: ApplyType): void {
  const version = config.apiVersion ?? '';
  if (version !== apiVersion) {
    const specified = typeof version === 'string' ? version : '';
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${specified}, expected: ${apiVersion}`,
    );
  }
  const managedFields = memberOf(membersOf(config.metadata), 'managedFields') ?? null;
  if (managedFields !== null) throw badRequest('metadata.managedFields must be nil');
  requireTyped(config, type, 'refused', 'failed to create typed patch object');
}

function requireTyped(
  value: JsonValue,
  type: ApplyType,
  undeclared: 'refused' | 'passed-over',
  what: string,
  toleratesRepeats = false,
): void {
  try {
    validateTyped(value, type, undeclared, toleratesRepeats);
  } catch (error) {
    throw error instanceof TypedError ? badRequest(`${what}: ${error.message}`) : error;
  }
}

/** The managers of the live object. If it has none, its fields get a manager. */
function* knownManagers(request: Apply, schema: ObjectSchema): Steps<Managers> {
  const { live } = request;
  if (live === undefined) return new Map();
  const managers = yield* decodingOrNone(managedFieldsOf(live));
  if (managers.size > 0) return managers;
  return yield* updateManagers(
    { ...request, live: schema.empty, updated: live, manager: BEFORE_FIRST_APPLY },
    managers,
  );
}

function refuseConflicts(conflicts: readonly Conflict[], request: Apply, live: JsonObject, type: ApplyType): void {
  if (conflicts.length === 0) return;
  const refused = withoutAllowed(conflicts, request, live, type);
  if (refused.length > 0) throw conflictError(refused);
}

function stamped(managers: ReadonlyMap<string, Manager>, id: string, now: Date): Managers {
  const manager = managers.get(id);
  return manager === undefined ? managers : new Map(managers).set(id, { ...manager, time: timeText(now) });
}
