import { FieldSet } from './field-set.ts';
import type { Managers } from './managers.ts';

/** Fields that name the object or that only the server sets. No manager owns them. */
export const STRIPPED_FIELDS = FieldSet.ofMembers(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'clusterName',
    'creationTimestamp',
    'generation',
    'managedFields',
    'name',
    'namespace',
    'resourceVersion',
    'selfLink',
    'uid',
  ].map((name) => ['metadata', name]),
);

/** Removes the fields that no manager may own from one manager. A manager without fields is removed. */
export function stripManager(managers: Managers, id: string): Managers {
  const manager = managers.get(id);
  const fields = manager?.fields.difference(STRIPPED_FIELDS);
  if (manager === undefined || fields === undefined || fields === manager.fields) return managers;
  const left = new Map(managers);
  if (fields.isEmpty) left.delete(id);
  else left.set(id, { ...manager, fields });
  return left;
}
