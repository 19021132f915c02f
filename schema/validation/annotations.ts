import { compareText, sortShort } from '#base/collections/sort-short.ts';
import { type FieldError, type FieldPath, invalidValue, tooLong } from '#base/errors/field-error.ts';
import { qualifiedName } from './names.ts';

/** The largest number of bytes that the keys and values of an object's annotations may have together. */
export const MAX_ANNOTATION_BYTES = 256 * 1024;

/**
 * Validates the keys and the total size of annotations. Upper and lower case do not matter in keys. The values may be
 * any text.
 */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const key of sortShort(Object.keys(annotations ?? {}), compareText)) {
    for (const problem of qualifiedName(key.toLowerCase())) errors.push(invalidValue(path, key, problem));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations?.[key] ?? '');
  }
  if (bytes > MAX_ANNOTATION_BYTES) errors.push(tooLong(path, '', MAX_ANNOTATION_BYTES));
  return errors;
}
