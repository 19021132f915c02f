import { cloneJson } from '#base/json/clone-json.ts';
import { FieldSet } from '#schema/apply/field-set.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

/** The view that writes only the status. The spec does not change. */
export function keepSpec<S extends object>(object: { spec?: S }, old: { spec?: S }): void {
  if (old.spec === undefined) delete object.spec;
  else object.spec = cloneJson(old.spec);
}

const KEPT = ['deletionTimestamp', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** Fields that have no owner in a view that writes only the status, with those of the metadata. */
export const METADATA_AND_SPEC = FieldSet.ofMembers(['metadata'], ['spec']);

/** The view that writes only the status. The spec does not change, nor do the metadata that clients set. */
export function keepAllButStatus<S extends object>(
  object: ApiObject & { spec?: S },
  old: ApiObject & { spec?: S },
): void {
  keepSpec(object, old);
  for (const field of KEPT) {
    if (old.metadata[field] === undefined) delete object.metadata[field];
    else Object.assign(object.metadata, { [field]: cloneJson(old.metadata[field]) });
  }
}
