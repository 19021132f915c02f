import { type FieldError, type FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { OwnerReference } from '../objects/api-object.ts';

/** Owners of an object; errors are at `path` and its children, without an index. At most one may be the controller. */
export function validateOwnerReferences(
  references: readonly Partial<OwnerReference>[] | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const reference of references ?? []) {
    errors.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const name = reference.name ?? '';
    if (controller === undefined) {
      controller = name;
    } else {
      const found = `Found "true" in references for ${controller} and ${name}`;
      errors.push(invalidValue(path, references, `Only one reference can have Controller set to true. ${found}`));
    }
  }
  return errors;
}

function validateOwnerReference(reference: Partial<OwnerReference>, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { apiVersion = '', kind = '' } = reference;
  if (versionOf(apiVersion) === '') {
    errors.push(invalidValue(path.child('apiVersion'), apiVersion, 'version must not be empty'));
  }
  for (const name of ['kind', 'name', 'uid'] as const) {
    if (!reference[name]) errors.push(invalidValue(path.child(name), '', `${name} must not be empty`));
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    errors.push(invalidValue(path, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}

/** The version in `group/version`; empty for anything that is not an API version. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split('/');
  return parts.length > 2 ? '' : (parts.pop() ?? '');
}
