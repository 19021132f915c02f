import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  fieldError,
  invalidValue,
  required,
  shown,
} from '#base/errors/field-error.ts';
import type { OwnerReference } from '../objects/api-object.ts';

const EMPTY = 'must not be empty';

/**
 * Validates the owners of an object. Errors are at `path` and its children, and since 1.37 with the index of the owner.
 * At most one owner may be the controller.
 */
export function validateOwnerReferences(
  references: readonly Partial<OwnerReference>[] | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  let controller: Partial<OwnerReference> | undefined;
  let list: string | undefined;
  for (const [i, reference] of (references ?? []).entries()) {
    append(errors, validateOwnerReference(reference, path, path.index(i)));
    if (reference.controller !== true) continue;
    if (controller === undefined) {
      controller = reference;
    } else {
      // The text is made once, because a list of thousands of controllers has thousands of these errors.
      list ??= shown(references);
      errors.push(secondController(path, list, controller, reference));
    }
  }
  return errors;
}

/** `list` has all owners in the form of errors. */
function secondController(
  path: FieldPath,
  list: string,
  first: Partial<OwnerReference>,
  second: Partial<OwnerReference>,
): FieldError {
  const error = (one: string, other: string) => {
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${one} and ${other}`;
    return fieldError('FieldValueInvalid', path, `Invalid value: ${list}: ${detail}`);
  };
  const [one, other] = [first.name ?? '', second.name ?? ''];
  const latest = error(`${first.kind ?? ''}/${one}`, `${second.kind ?? ''}/${other}`);
  return { ...error(one, other), since: [[37, latest]] };
}

function validateOwnerReference(reference: Partial<OwnerReference>, path: FieldPath, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { apiVersion = '', kind = '' } = reference;
  if (versionOf(apiVersion) === '') {
    const field = at.child('apiVersion');
    const latest =
      apiVersion === ''
        ? required(field, EMPTY)
        : invalidValue(field, apiVersion, 'must be <group>/<version> or <version>');
    const error = invalidValue(path.child('apiVersion'), apiVersion, 'version must not be empty');
    errors.push({ ...error, since: [[37, latest]] });
  }
  for (const name of ['kind', 'name', 'uid'] as const) {
    if (reference[name]) continue;
    const field = path.child(name);
    errors.push({
      ...invalidValue(field, '', `${name} ${EMPTY}`),
      since: [
        [34, invalidValue(field, '', EMPTY)],
        [37, required(at.child(name), EMPTY)],
      ],
    });
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    const why = '/v1, Kind=Event is disallowed from being an owner';
    errors.push({ ...invalidValue(path, reference, why), since: [[37, invalidValue(at, reference, why)]] });
  }
  return errors;
}

/** The version in `group/version`; empty for a text that is not an API version. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split('/');
  return parts.length > 2 ? '' : (parts.pop() ?? '');
}
