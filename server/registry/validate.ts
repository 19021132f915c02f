import type { FieldError } from '../errors/field-error.ts';
import { invalidValue } from '../errors/field-error.ts';
import { invalid, type StatusError } from '../errors/status-error.ts';
import { subdomainName } from '../kinds/common/names.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../kinds/common/object-meta.ts';
import type { ApiObject } from '../schema/api-object.ts';
import { subjectOf } from './registry.ts';
import type { WriteContext } from './resource-definition.ts';
import type { ServedResource, StoredResource } from './served-resource.ts';

function metaErrors(stored: StoredResource, object: ApiObject): FieldError[] {
  return validateObjectMeta(object.metadata, {
    namespaced: stored.namespaced,
    validateName: stored.rules.validateName ?? subdomainName,
  });
}

/** Refuses an object that has errors: 422 with all of them. `group` is as the request names it. */
export function refuse(served: ServedResource, object: ApiObject, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  throw invalid({ group: served.group, kind: served.type.kind }, object.metadata.name ?? '', errors);
}

/** Checks a new object. Throws 422 with every problem at its path. */
export function validateCreate(served: ServedResource, object: ApiObject, context: WriteContext): void {
  const stored = served.stored!;
  refuse(served, object, [...metaErrors(stored, object), ...(stored.rules.validate?.(object, context) ?? [])]);
}

/**
 * Checks a changed object. Metadata is checked by the generic rules and again as part of the kind's own, so that its
 * errors are reported twice, and thrice where the kind checks the whole object again.
 */
export function validateUpdate(served: ServedResource, object: ApiObject, old: ApiObject, context: WriteContext): void {
  const { rules, ...stored } = served.stored!;
  const meta = validateObjectMetaUpdate(object.metadata, old.metadata);
  const errors = [...meta, ...meta, ...(rules.validateUpdate?.(object, old, context) ?? [])];
  if (rules.revalidatesOnUpdate === true) {
    errors.push(...metaErrors({ ...stored, rules }, object), ...(rules.validate?.(object, context) ?? []));
  }
  refuse(served, object, errors);
}

/** The refusal of a PUT without a version for kinds that insist on one. It names the plural, not the kind. */
export function versionRequired(served: ServedResource, name: string): StatusError {
  const error = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
  const body = error.body.replace('Invalid value: 0:', 'Invalid value: 0x0:');
  const { group, resource } = subjectOf(served);
  return invalid({ group, kind: resource }, name, [{ ...error, body, text: `metadata.resourceVersion: ${body}` }]);
}
