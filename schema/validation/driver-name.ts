import { type FieldError, type FieldPath, invalidValue, required, tooLong } from '#base/errors/field-error.ts';
import { dns1123Subdomain } from './names.ts';

const MAX_LENGTH = 63;

/** Validates the name of a storage driver. It is a DNS subdomain (letters of any case) and not longer than a label. */
export function validateDriverName(name: string, path: FieldPath): FieldError[] {
  return [
    ...(name === '' ? [required(path)] : []),
    ...(name.length > MAX_LENGTH ? [tooLong(path, name, MAX_LENGTH)] : []),
    ...dns1123Subdomain(name.toLowerCase()).map((problem) => ({
      ...invalidValue(path, name, problem),
      // Later releases report only that the name is missing.
      ...(name === '' && { until: 35 }),
    })),
  ];
}
