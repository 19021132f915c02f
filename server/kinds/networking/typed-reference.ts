import { type FieldError, type FieldPath, required } from '#base/errors/field-error.ts';
import { dns1123Subdomain, pathSegmentName } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';

/**
 * Validates a reference to an object of any kind by group, kind and name. The group may be missing but not empty.
 * @param says whether the message about a missing part names it, as in releases before 1.34
 */
export function validateTypedReference(
  reference: { readonly apiGroup?: string | null; readonly kind?: string; readonly name?: string },
  path: FieldPath,
  { says = true } = {},
): FieldError[] {
  const { apiGroup, kind, name } = reference;
  const detail = (what: string) => (says ? `${what} is required` : '');
  return [
    ...(apiGroup === undefined || apiGroup === null
      ? []
      : validateText(apiGroup, dns1123Subdomain, path.child('apiGroup'))),
    ...(kind
      ? validateText(kind, pathSegmentName, path.child('kind'))
      : [required(path.child('kind'), detail('kind'))]),
    ...(name
      ? validateText(name, pathSegmentName, path.child('name'))
      : [required(path.child('name'), detail('name'))]),
  ];
}
