import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { SeccompProfile } from '#schema/generated/core.v1.ts';
import { validateLocalPath } from './file-paths.ts';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const LOCAL = 'localhost/';
/** Annotation values that mean the runtime's own profile. */
const RUNTIME_DEFAULTS = ['runtime/default', 'docker/default'];

export function validateSeccompProfile(profile: SeccompProfile | null | undefined, path: FieldPath): FieldError[] {
  if (profile == null) return [];
  const { type = '', localhostProfile } = profile;
  const at = path.child('localhostProfile');
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(path.child('type'), 'type is required when seccompProfile is set'));
  else if (!TYPES.includes(type)) errors.push(notSupported(path.child('type'), type, TYPES));
  if (type === 'Localhost') {
    if (localhostProfile != null) return [...errors, ...validateLocalPath(localhostProfile, at)];
    return [...errors, required(at, 'must be set when seccomp type is Localhost ')];
  }
  if (localhostProfile == null) return errors;
  return [...errors, invalidValue(at, profile, 'can only be set when seccomp type is Localhost')];
}

/** The profile in the value of an older annotation; undefined for other texts. */
export function profileOfAnnotation(value: string): SeccompProfile | undefined {
  if (RUNTIME_DEFAULTS.includes(value)) return { type: 'RuntimeDefault' };
  if (value === 'unconfined') return { type: 'Unconfined' };
  return value.startsWith(LOCAL) && value !== LOCAL
    ? { type: 'Localhost', localhostProfile: value.slice(LOCAL.length) }
    : undefined;
}

export function validateSeccompAnnotation(value: string, path: FieldPath): FieldError[] {
  if (value === 'unconfined' || RUNTIME_DEFAULTS.includes(value)) return [];
  if (value.startsWith(LOCAL)) return validateLocalPath(value.slice(LOCAL.length), path);
  return [invalidValue(path, value, 'must be a valid seccomp profile')];
}

/** Validates that the profile in an annotation and the profile in a field are equal, if both exist. */
export function validateSameProfile(
  annotation: string,
  profile: SeccompProfile,
  path: FieldPath,
  what: 'seccomp' | 'apparmor' = 'seccomp',
): FieldError[] {
  const meant = annotation.startsWith(LOCAL) ? 'Localhost' : profileOfAnnotation(annotation)?.type;
  if (!TYPES.includes(profile.type ?? '')) return [];
  if (meant !== profile.type) {
    return [forbiddenField(path.child('type'), `${what} type in annotation and field must match`)];
  }
  if (meant !== 'Localhost' || profile.localhostProfile === annotation.slice(LOCAL.length)) return [];
  const detail = `${what} profile in annotation and field must match`;
  return [forbiddenField(path.child('localhostProfile'), detail)];
}
