import { type FieldError, type FieldPath, invalidValue } from '#base/errors/field-error.ts';
import { bounds } from '#schema/validation/bounds.ts';

/** The types of files at a path of a node. The empty type matches any. */
export const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** Validates that a path does not lead upwards. */
export function validateNoBacksteps(value: string, path: FieldPath): FieldError[] {
  return value.split('/').includes('..') ? [invalidValue(path, value, "must not contain '..'")] : [];
}

/** Validates a path inside a folder. It is relative, and never leads outside of the folder. */
export function validateLocalPath(value: string, path: FieldPath): FieldError[] {
  return [
    ...(value.startsWith('/') ? [invalidValue(path, value, 'must be a relative path')] : []),
    ...validateNoBacksteps(value, path),
  ];
}

/** Validates a path inside a folder in which names that start with two dots belong to the system. */
export function validateUnreservedPath(value: string, path: FieldPath): FieldError[] {
  const reserved = value.startsWith('..') && !value.startsWith('../');
  return [
    ...validateLocalPath(value, path),
    ...(reserved ? [invalidValue(path, value, "must not start with '..'")] : []),
  ];
}

const MODES = bounds['core.v1.KeyToPath'].mode;

/** Validates the permission bits of a file. */
export function validateFileMode(mode: number | undefined, path: FieldPath): FieldError[] {
  if (mode === undefined || (mode >= MODES.minimum && mode <= MODES.maximum)) return [];
  return [invalidValue(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}
