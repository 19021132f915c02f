import { jsonEqual } from '#base/json/json-equal.ts';
import type { ApiObject, ManagedFieldsEntry } from '#schema/objects/api-object.ts';
import { isGone } from './errors.ts';
import type { ResourceClient } from './resource-client.ts';

/** A version of an object, and the version before it. */
export interface PastVersion {
  readonly object: ApiObject;
  /**
   * The state before this version. Undefined if this version created the object, or if the server no longer keeps the
   * earlier state.
   */
  readonly older: ApiObject | undefined;
  /** Whether the server still keeps the earlier state. */
  readonly isKept: boolean;
}

/**
 * The versions of an object that the server still keeps, from this version backwards. It asks the server for a version
 * only when the caller wants it.
 *
 * @throws ApiError if the server refuses the list
 * @example
 * for await (const { object, older } of pastVersions(pods, await pods.get('web'))) show(lastWrite(object, older));
 */
export async function* pastVersions(
  resource: ResourceClient<ApiObject>,
  newest: ApiObject,
): AsyncGenerator<PastVersion, void, void> {
  let object: ApiObject | undefined = newest;
  while (object !== undefined) {
    const before = await listBefore(resource, object);
    const older: ApiObject | undefined = before?.items[0];
    yield { object, older, isKept: before !== undefined };
    object = older;
  }
}

/** The state of an object just before its version; undefined if the server no longer keeps it. */
async function listBefore(resource: ResourceClient<ApiObject>, { metadata }: ApiObject) {
  try {
    return await resource.list({
      fieldSelector: `metadata.name=${metadata.name}`,
      resourceVersion: String(Number(metadata.resourceVersion ?? '') - 1),
      resourceVersionMatch: 'Exact',
    });
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/**
 * The writer and the time of a version, from the managed fields. If a manager only lost fields to another manager, its
 * time is older.
 */
export function lastWrite(
  newer: ApiObject,
  older: ApiObject | undefined,
): { readonly manager: string; readonly time: string | undefined } {
  const id = ({ manager, operation, subresource }: ManagedFieldsEntry) =>
    `${manager} ${operation} ${subresource ?? ''}`;
  const before = new Map((older?.metadata.managedFields ?? []).map((entry) => [id(entry), entry]));
  const changed = (newer.metadata.managedFields ?? []).filter((entry) => !jsonEqual(entry, before.get(id(entry))));
  const wrote = changed.filter((entry) => entry.time !== before.get(id(entry))?.time);
  const entries = wrote.length > 0 ? wrote : changed;
  const managers = new Set(
    entries.map(({ manager, subresource }) => `${manager}${subresource ? ` (${subresource})` : ''}`),
  );
  const times = entries.map(({ time }) => String(time ?? '')).filter((time) => time !== '');
  const created = older === undefined ? (newer.metadata.creationTimestamp ?? undefined) : undefined;
  return { manager: [...managers].join(', '), time: times.sort().at(-1) ?? created };
}
