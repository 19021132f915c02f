import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, invalidValue, tooLong } from '#base/errors/field-error.ts';
import type { ManagedFieldsEntry } from '../objects/api-object.ts';
import { bounds } from './bounds.ts';

const MAX_MANAGER_LENGTH = bounds['meta.v1.ManagedFieldsEntry'].manager.maxLength;
const MAX_SUBRESOURCE_LENGTH = bounds['meta.v1.ManagedFieldsEntry'].subresource.maxLength;
/** The longest name whose wrong characters are listed. Each error contains the whole name. */
const MAX_EXAMINED = 1024;
/** After this number of errors, the other entries are not checked, for the same reason. */
const MAX_ERRORS = 2000;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

/** Validates the name of a field manager. It has up to 128 bytes of printable characters and may be empty. */
export function validateFieldManager(manager: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > MAX_MANAGER_LENGTH) errors.push(tooLong(path, manager, MAX_MANAGER_LENGTH));
  if (manager.length > MAX_EXAMINED || PRINTABLE.test(manager)) return errors;
  let position = 0;
  for (const character of manager) {
    if (!PRINTABLE.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalidValue(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(character);
  }
  return errors;
}

/** Validates the form of `metadata.managedFields`. The field sets themselves are not checked. */
export function validateManagedFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, entry] of (entries ?? []).entries()) {
    if (errors.length > MAX_ERRORS) break;
    const at = path.index(i);
    const { operation = '', fieldsType = '', subresource = '' } = entry;
    if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(invalidValue(at.child('operation'), operation, 'must be `Apply` or `Update`'));
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(invalidValue(at.child('fieldsType'), fieldsType, 'must be `FieldsV1`'));
    }
    append(errors, validateFieldManager(entry.manager ?? '', at.child('manager')));
    if (Buffer.byteLength(subresource) > MAX_SUBRESOURCE_LENGTH) {
      errors.push(tooLong(at.child('subresource'), subresource, MAX_SUBRESOURCE_LENGTH));
    }
  }
  return errors;
}
