import { own } from '#base/collections/own-properties.ts';
import type { ManagedFieldsEntry } from '../objects/api-object.ts';
import { FieldSet } from './field-set.ts';
import { decodeManagersOrNone, encodeManagers, type Manager, managerId } from './managers.ts';
import { memberElement } from './path-element.ts';

/**
 * The path of the number of replicas in each version of a kind that can be scaled: `{'apps/v1': ['spec', 'replicas']}`.
 */
export type ReplicasPaths = Readonly<Record<string, readonly string[]>>;

/** Version of the scale object. */
export interface ScaleVersion {
  /** The version in full, such as `autoscaling/v1`. */
  readonly apiVersion: string;
}

const IN_SCALE = ['spec', 'replicas'] as const;

/**
 * The managers of an object in the form of its scale: only the managers that own the number of replicas.
 *
 * @example toScaleFields(entries, { 'apps/v1': ['spec', 'replicas'] }, { apiVersion: 'autoscaling/v1' })
 */
export function toScaleFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
  scale: ScaleVersion,
): ManagedFieldsEntry[] | undefined {
  const owners = [...decodeManagersOrNone(entries).values()].filter((manager) => ownsReplicas(manager, paths));
  const fields = FieldSet.ofMembers(IN_SCALE);
  return encodeManagers(
    new Map(owners.map((owner) => [managerId(owner), { ...owner, apiVersion: scale.apiVersion, fields }])),
  );
}

/**
 * The managers of an object after a write through its scale subresource, in a version of the object. A manager that
 * lost the replica count in the scale loses it in the object. A manager that gained it gets a separate entry without a
 * time. Entries of updates differ by version, and the version of the scale is not that of the object. So the replica
 * count of an updater moves to a separate entry even if nothing changed.
 *
 * @example fromScaleFields(entries, ofScale, { 'apps/v1': ['spec', 'replicas'] }, 'apps/v1')
 */
export function fromScaleFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  scaleEntries: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
  apiVersion: string,
): ManagedFieldsEntry[] | undefined {
  const inScale = new Map<string, Manager>();
  for (const manager of decodeManagersOrNone(scaleEntries).values()) {
    if (manager.fields.has(IN_SCALE.map(memberElement))) inScale.set(managerId(manager), manager);
  }
  const left = new Map<string, Manager>();
  for (const [id, manager] of decodeManagersOrNone(entries)) {
    const path = own(paths, manager.apiVersion);
    if (path === undefined) continue;
    const keeps = !ownsReplicas(manager, paths) || inScale.delete(id);
    const fields = keeps ? manager.fields : manager.fields.difference(FieldSet.ofMembers(path));
    if (!fields.isEmpty) left.set(id, { ...manager, fields });
  }
  const path = own(paths, apiVersion);
  for (const [id, manager] of path === undefined ? [] : inScale) {
    left.set(id, { ...manager, apiVersion, time: undefined, fields: FieldSet.ofMembers(path!) });
  }
  return encodeManagers(left);
}

function ownsReplicas({ apiVersion, fields }: Manager, paths: ReplicasPaths): boolean {
  const path = own(paths, apiVersion);
  return path !== undefined && fields.has(path.map(memberElement));
}
