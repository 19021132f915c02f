import { type FieldError, type FieldPath, invalidValue, required, tooLong } from '#base/errors/field-error.ts';
import { dns1123Subdomain } from './names.ts';

const MAX_LENGTH = 63;

/** The name of a storage driver: a DNS subdomain (letters of any case), no longer than a label. */
export function validateDriverName(name: string, path: FieldPath): FieldError[] {
  return [
    ...(name === '' ? [required(path)] : []),
    ...(name.length > MAX_LENGTH ? [tooLong(path, name, MAX_LENGTH)] : []),
    ...dns1123Subdomain(name.toLowerCase()).map((problem) => ({
      ...invalidValue(path, name, problem),
      // Later releases report nothing else about a missing name.
      ...(name === '' && { until: 35 }),
    })),
  ];
}
