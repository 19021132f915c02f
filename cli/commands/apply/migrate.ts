import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { ApiError, isConflict } from '#client/errors.ts';
import type { ApplyOptions, ResourceClient } from '#client/resource-client.ts';
import type { ApiObject, ManagedFieldsEntry } from '#schema/objects/api-object.ts';
import type { Invocation } from '../../command-line/command.ts';
import { apiVersionIn } from '../../resources/found.ts';
import type { Target } from '../../resources/selection.ts';
import { lastApplied } from '../../write/last-applied.ts';

/** The largest number of attempts to write the owners of an object that other clients change in the meantime. */
const TRIES = 5;

/** An object to apply on the server, and its resource. */
export interface OnServer {
  readonly target: Target;
  readonly resource: ResourceClient<ApiObject>;
  readonly options: ApplyOptions;
}

/**
 * Moves the fields that earlier calls of this client applied to server-side apply. The server then also removes fields
 * that the file no longer contains. Resolves to the changed object. A failure is only reported, because the next call
 * tries again.
 */
export async function migrate(invocation: Invocation, onServer: OnServer, applied: ApiObject): Promise<ApiObject> {
  const { session, io } = invocation;
  const key = await lastApplied(session).key();
  const steps = [
    [`failed to migrate ${key} for Server-Side Apply`, () => keepAnnotation(invocation, onServer, applied, key)],
    [
      'server rejected managed fields migration to Server-Side Apply',
      () => handOver(invocation, onServer, object, key),
    ],
    [
      'failed to re-apply configuration after performing Server-Side Apply migration',
      () => onServer.resource.apply(onServer.target.object!, onServer.options),
    ],
  ] as const;
  let object = applied;
  for (const [failure, step] of steps)
    try {
      const next = await step();
      if (next === 'done') break;
      object = next;
    } catch (error) {
      io.signal.throwIfAborted();
      const why = error instanceof ApiError ? (error.status.message ?? error.message) : (error as Error).message;
      io.err.write(`Warning: ${failure}. This is non-fatal and will be retried next time you apply. Error: ${why}\n`);
      break;
    }
  return object;
}

/**
 * Makes the server manage the annotation of the last apply. Does nothing if the server manages it already or if there
 * is no annotation.
 */
async function keepAnnotation(
  { session }: Invocation,
  { target, resource, options }: OnServer,
  object: ApiObject,
  key: string,
): Promise<ApiObject> {
  const text = object.metadata.annotations?.[key];
  const program = (await session.naming()).commandLine;
  if (options.fieldManager !== program || text === undefined || ownersOf(object, 'Apply', key).length > 0)
    return object;
  const { name, namespace } = object.metadata;
  const metadata = { name: name!, ...(namespace === undefined ? {} : { namespace }), annotations: { [key]: text } };
  const only = { apiVersion: apiVersionIn(target.type), kind: target.type.kind, metadata };
  const { dryRun, fieldValidation, timeoutMs, signal } = options;
  const fieldManager = `${program}-last-applied`;
  return resource.apply(only as ApiObject, { dryRun, fieldValidation, timeoutMs, signal, fieldManager });
}

/** Rewrites the owners of the fields, unless they are already right. */
async function handOver(
  { flags }: Invocation,
  { resource, options }: OnServer,
  object: ApiObject,
  key: string,
): Promise<ApiObject | 'done'> {
  const managers = new Set(ownersOf(object, 'Update', key).map(({ manager }) => manager ?? ''));
  for (let tries = 1; ; tries++) {
    const before = object.metadata.managedFields ?? [];
    const after = handedOver(before, managers, options.fieldManager);
    if (after === before) return 'done';
    const name = object.metadata.name!;
    const patch = [
      { op: 'replace', path: '/metadata/managedFields', value: after },
      { op: 'replace', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
    ];
    try {
      const { force: _, ...rest } = options;
      return await resource.patch(name, 'json', patch, {
        ...rest,
        subresource: flags.text('subresource') || undefined,
      });
    } catch (error) {
      if (!isConflict(error) || tries >= TRIES) throw error;
      object = await resource.get(name);
    }
  }
}

/** The managers that own the annotation through an operation. */
function ownersOf({ metadata }: ApiObject, operation: string, key: string): readonly ManagedFieldsEntry[] {
  return (metadata.managedFields ?? []).filter((entry) => {
    let fields: JsonValue | undefined = entry.fieldsV1 as JsonValue | undefined;
    for (const step of ['f:metadata', 'f:annotations', `f:${key}`])
      fields = isObject(fields) ? fields[step] : undefined;
    return entry.operation === operation && fields !== undefined;
  });
}

/**
 * Entries of managed fields in which `to`, a manager that applies, owns the fields that these managers updated. Returns
 * the same list if nothing changes.
 */
export function handedOver(
  entries: readonly ManagedFieldsEntry[],
  managers: ReadonlySet<string>,
  to: string,
): readonly ManagedFieldsEntry[] {
  let result = entries;
  for (const manager of managers) {
    const updates = ({ manager: own, operation, subresource = '' }: ManagedFieldsEntry) =>
      own === manager && operation === 'Update' && subresource === '';
    const applies = ({ manager: own, operation, subresource = '' }: ManagedFieldsEntry) =>
      own === to && operation === 'Apply' && subresource === '';
    const heir = result.find(applies) ?? result.find(updates);
    if (heir === undefined) continue;
    const left = result.find((entry) => updates(entry) && entry.apiVersion === heir.apiVersion);
    const [own, more] = [heir, left ?? heir].map((entry) => (entry.fieldsV1 ?? {}) as JsonObject);
    const merged = { ...heir, manager: to, operation: 'Apply', fieldsV1: union(own!, more!) } as ManagedFieldsEntry;
    result = result.flatMap((entry) => (entry === heir ? [merged] : updates(entry) ? [] : [entry]));
  }
  return result.length === entries.length && result.every((entry, at) => same(entry, entries[at]!)) ? entries : result;
}

const same = (one: ManagedFieldsEntry, other: ManagedFieldsEntry): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/**
 * The union of two field sets. A `.` marks a field that is itself in the set and has further fields of the set below
 * it.
 */
function union(one: JsonObject, other: JsonObject): JsonObject {
  const result: JsonObject = { ...one };
  for (const [name, below] of Object.entries(other)) {
    const own = result[name];
    if (!isObject(own) || !isObject(below)) {
      result[name] = below;
      continue;
    }
    const both = union(own, below);
    const isMember = [own, below].some((fields) => Object.keys(fields).length === 0);
    result[name] = isMember && Object.keys(both).some((key) => key !== '.') ? { '.': {}, ...both } : both;
  }
  return result;
}
