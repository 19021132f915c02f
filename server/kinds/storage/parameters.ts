import { type FieldError, invalidValue, tooLong } from '#base/errors/field-error.ts';

const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

/** Validates the parameters of a class for its driver. Their size is limited, and each has a key. */
export function validateParameters(parameters: Readonly<Record<string, string>>): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS) return [tooLong('parameters', '', MAX_PARAMETERS)];
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of entries) {
    if (key === '') errors.push(invalidValue('parameters', key, 'field can not be empty.'));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > MAX_PARAMETER_BYTES) errors.push(tooLong('parameters', '', MAX_PARAMETER_BYTES));
  return errors;
}
