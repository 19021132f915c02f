import type { StoredResource } from '../api/served-resource.ts';

/** The field's type name for objects of custom kinds. */
export const DEFINED = '*unstructured.Unstructured';

/** The type name of a built-in kind in the field's metrics, by the neutral name of its group: `*core.Namespace`. */
export function typeName(group: string, kind: string): string {
  const [short = ''] = group.split('.');
  return `*${short || 'core'}.${kind}`;
}

/** The type name for the objects of a resource; for custom resources it is the common one. */
export function typeOfStored(stored: StoredResource | undefined): string {
  return stored === undefined || stored.condition !== undefined ? DEFINED : typeName(stored.group, stored.kind);
}
