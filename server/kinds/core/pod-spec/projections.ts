import { type FieldError, type FieldPath, forbiddenField, invalidValue, required } from '#base/errors/field-error.ts';
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '#schema/generated/core.v1.ts';
import type { PodSpecContext } from './context.ts';
import { FILE_FIELDS, validateFieldReference, validateResourceReference } from './field-references.ts';
import { validateFileMode, validateUnreservedPath } from './file-paths.ts';

interface KeyedFiles {
  defaultMode?: number;
  items?: readonly KeyToPath[] | null;
}

/** Files from the keys of a secret or config map. */
export function validateKeyedFiles(source: KeyedFiles, path: FieldPath): FieldError[] {
  return [
    ...validateFileMode(source.defaultMode, path.child('defaultMode')),
    ...(source.items ?? []).flatMap((item, i) => validateKeyFile(item, path.child('items').index(i))),
  ];
}

function validateKeyFile({ key, path: file = '', mode }: KeyToPath, path: FieldPath): FieldError[] {
  return [
    ...(key ? [] : [required(path.child('key'))]),
    ...(file === '' ? [required(path.child('path'))] : []),
    ...validateUnreservedPath(file, path.child('path')),
    ...validateFileMode(mode, path.child('mode')),
  ];
}

/** A file that shows a field of the pod or an amount of one of its containers. Errors do not tell the item. */
export function validateFieldFile(file: DownwardAPIVolumeFile, path: FieldPath, context: PodSpecContext): FieldError[] {
  const { fieldRef, resourceFieldRef } = file;
  const errors = [
    ...(file.path ? [] : [required(path.child('path'))]),
    ...validateUnreservedPath(file.path ?? '', path.child('path')),
  ];
  if (fieldRef != null) {
    errors.push(...validateFieldReference(fieldRef, FILE_FIELDS, path.child('fieldRef')));
    if (resourceFieldRef != null) {
      const detail = 'fieldRef and resourceFieldRef can not be specified simultaneously';
      errors.push(invalidValue(path, 'resource', detail));
    }
  } else if (resourceFieldRef != null) {
    errors.push(...validateResourceReference(resourceFieldRef, 'file', path.child('resourceFieldRef'), context));
  } else {
    errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  }
  return [...errors, ...validateFileMode(file.mode, path.child('mode'))];
}

/** Files from several sources in one folder: no two may have the same path. */
export function validateProjected(
  projected: ProjectedVolumeSource,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  const seen = new Set<string>();
  const claim = (file: string | undefined, shown: string): FieldError[] => {
    if (!file) return [];
    if (seen.has(file)) return [invalidValue(path, shown, 'conflicting duplicate paths')];
    seen.add(file);
    return [];
  };
  return [
    ...validateFileMode(projected.defaultMode, path.child('defaultMode')),
    ...(projected.sources ?? []).flatMap((source, i) =>
      validateSource(source, path.child('sources').index(i), path, claim, context),
    ),
  ];
}

type Claim = (file: string | undefined, shown: string) => FieldError[];

function validateSource(
  source: VolumeProjection,
  path: FieldPath,
  volume: FieldPath,
  claim: Claim,
  context: PodSpecContext,
): FieldError[] {
  const { downwardAPI, serviceAccountToken } = source;
  const errors: FieldError[] = [];
  for (const name of ['secret', 'configMap'] as const) {
    const keyed = source[name];
    if (keyed == null) continue;
    const at = path.child(name);
    if (!keyed.name) errors.push(required(at.child('name')));
    (keyed.items ?? []).forEach((item, i) => {
      errors.push(...validateKeyFile(item, at.child('items').index(i)), ...claim(item.path, keyed.name ?? ''));
    });
  }
  for (const file of downwardAPI?.items ?? []) {
    errors.push(...validateFieldFile(file, path.child('downwardAPI'), context), ...claim(file.path, file.path));
  }
  if (serviceAccountToken != null) {
    errors.push(...validateToken(serviceAccountToken, path.child('serviceAccountToken'), volume));
  }
  if (Object.values(source).filter((one) => one != null).length > 1) {
    errors.push(forbiddenField(path, 'may not specify more than 1 volume type'));
  }
  return errors;
}

function validateToken(token: ServiceAccountTokenProjection, path: FieldPath, volume: FieldPath): FieldError[] {
  const at = path.child('expirationSeconds');
  const seconds = Number(token.expirationSeconds ?? 0);
  const errors: FieldError[] = [];
  if (seconds < 600) {
    errors.push(invalidValue(at, token.expirationSeconds ?? 0, 'may not specify a duration less than 10 minutes'));
  }
  if (seconds > 2 ** 32) {
    errors.push(invalidValue(at, token.expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  return token.path ? errors : [...errors, required(volume.child('path'))];
}
