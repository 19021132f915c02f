import { type FieldError, type FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { CustomResourceDefinitionNames } from '#schema/generated/apiextensions.v1.ts';
import { dns1035Label } from '#schema/validation/names.ts';

function labelErrors(value: string, path: FieldPath): FieldError[] {
  const problems = dns1035Label(value);
  return problems.length === 0 ? [] : [invalidValue(path, value, problems.join(','))];
}

function kindErrors(value: string, path: FieldPath): FieldError[] {
  const problems = dns1035Label(value.toLowerCase());
  if (problems.length === 0) return [];
  return [invalidValue(path, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`)];
}

/**
 * Errors of the names of a custom kind, requested or accepted. Empty names are valid here, because the caller checks
 * which names are required.
 */
export function validateNames(names: CustomResourceDefinitionNames, path: FieldPath): FieldError[] {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = names;
  const same = kind !== '' && kind === listKind;
  return [
    ...(plural === '' ? [] : labelErrors(plural, path.child('plural'))),
    ...(singular === '' ? [] : labelErrors(singular, path.child('singular'))),
    ...(kind === '' ? [] : kindErrors(kind, path.child('kind'))),
    ...(listKind === '' ? [] : kindErrors(listKind, path.child('listKind'))),
    ...shortNames.flatMap((name, i) => labelErrors(name, path.child('shortNames').index(i))),
    ...(same ? [invalidValue(path.child('listKind'), listKind, 'kind and listKind may not be the same')] : []),
    ...categories.flatMap((name, i) => labelErrors(name, path.child('categories').index(i))),
  ];
}
