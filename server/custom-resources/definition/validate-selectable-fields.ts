import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalidValue,
  required,
  tooMany,
} from '#base/errors/field-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { CustomResourceDefinitionVersion } from '#schema/generated/apiextensions.v1.ts';
import { definedSteps, findField } from '../schema/field-path.ts';

/** The largest number of fields of a version that selectors may name. */
const MOST = 8;
const TYPES = new Set(['string', 'boolean', 'integer']);
const WRONG_TYPE =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

/** Errors of the selectable fields of a version; `before` is the version in the stored definition. */
export function validateSelectableFields(
  { selectableFields = [], schema }: CustomResourceDefinitionVersion,
  before: CustomResourceDefinitionVersion | undefined,
  path: FieldPath,
): FieldError[] {
  if (selectableFields.length === 0) return [];
  if (schema?.openAPIV3Schema === undefined) {
    return [invalidValue(path, '', 'may only be set when `version.schema.openAPIV3Schema` is not included')];
  }
  const errors: FieldError[] = [];
  const known = new Set<string>();
  for (const [i, { jsonPath = '' }] of selectableFields.entries()) {
    const at = path.index(i).child('jsonPath');
    if (jsonPath === '') {
      errors.push(required(at));
      continue;
    }
    const found = findField(jsonPath, schema.openAPIV3Schema, definedSteps, false);
    if (typeof found === 'string') {
      errors.push(invalidValue(at, jsonPath, `is an invalid path: ${found}`));
      continue;
    }
    if (found.first === 'metadata') errors.push(invalidValue(at, jsonPath, 'must not point to fields in metadata'));
    if (!TYPES.has(found.schema.type ?? '')) errors.push(invalidValue(at, jsonPath, WRONG_TYPE));
    const text = String(found.path);
    if (known.has(text)) errors.push(duplicate(at, jsonPath));
    known.add(text);
  }
  const stays = (before?.selectableFields?.length ?? 0) > MOST && jsonEqual(before?.selectableFields, selectableFields);
  if (known.size > MOST && !stays) errors.push(tooMany(path, known.size, MOST));
  return errors;
}
