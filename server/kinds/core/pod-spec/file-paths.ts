import { type FieldError, type FieldPath, invalidValue } from '#base/errors/field-error.ts';
import { bounds } from '#schema/validation/bounds.ts';

/** The types of files at a path of a node; the empty type matches anything. */
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

/** A path that does not lead upwards. */
export function validateNoBacksteps(value: string, path: FieldPath): FieldError[] {
  return value.split('/').includes('..') ? [invalidValue(path, value, "must not contain '..'")] : [];
}

/** A path inside a folder: relative, and never leading out of it. */
export function validateLocalPath(value: string, path: FieldPath): FieldError[] {
  return [
    ...(value.startsWith('/') ? [invalidValue(path, value, 'must be a relative path')] : []),
    ...validateNoBacksteps(value, path),
  ];
}

/** A path inside a folder in which names that start with two dots are the system's own. */
export function validateUnreservedPath(value: string, path: FieldPath): FieldError[] {
  const reserved = value.startsWith('..') && !value.startsWith('../');
  return [
    ...validateLocalPath(value, path),
    ...(reserved ? [invalidValue(path, value, "must not start with '..'")] : []),
  ];
}

const MODES = bounds['core.v1.KeyToPath'].mode;

/** Permission bits of a file. */
export function validateFileMode(mode: number | undefined, path: FieldPath): FieldError[] {
  if (mode === undefined || (mode >= MODES.minimum && mode <= MODES.maximum)) return [];
  return [invalidValue(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}
