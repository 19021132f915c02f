import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, fieldNotFound, invalidValue, required } from '#base/errors/field-error.ts';
import type { EnvFromSource, EnvVar, FileKeySelector, Volume } from '#schema/generated/core.v1.ts';
import {
  configKey,
  dns1123Subdomain,
  environmentVariable,
  relaxedEnvironmentVariable,
  type TextCheck,
} from '#schema/validation/names.ts';
import { validateRequiredText, validateText } from '#schema/validation/reference.ts';
import type { PodSpecContext } from './context.ts';
import { VARIABLE_FIELDS, validateFieldReference, validateResourceReference } from './field-references.ts';
import { validateNoBacksteps } from './file-paths.ts';

/** Validates the environment variables of a container, one by one. */
export function validateEnvironment(
  variables: readonly EnvVar[] | null | undefined,
  volumes: ReadonlyMap<string, Volume>,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  return (variables ?? []).flatMap((variable, i) => [
    ...validateRequiredText(variable.name, variableName(context), path.index(i).child('name')),
    ...validateValueFrom(variable, volumes, path.index(i).child('valueFrom'), context),
  ]);
}

/** The check of names of variables. It is strict, or allows every name that a process can use. */
function variableName({ gates }: PodSpecContext): TextCheck {
  return gates.enabled('RelaxedEnvironmentVariableValidation') ? relaxedEnvironmentVariable : environmentVariable;
}

/** Validates a variable from a file that another container has written. */
function validateFileKey(
  { volumeName, path: file, key }: FileKeySelector,
  volumes: ReadonlyMap<string, Volume>,
  path: FieldPath,
): FieldError[] {
  const errors = validateRequiredText(key, relaxedEnvironmentVariable, path.child('key'));
  const at = path.child('volumeName');
  if (volumeName === '') errors.push(required(at));
  const volume = volumes.get(volumeName);
  if (volume === undefined) errors.push(fieldNotFound(at, volumeName));
  else if (volume.emptyDir === undefined)
    errors.push(invalidValue(at, volumeName, 'referenced volume must be of type emptyDir'));
  if (file === '') return [...errors, required(path.child('path'))];
  return [...errors, ...validateNoBacksteps(file, path.child('path'))];
}

function validateValueFrom(
  { value, valueFrom }: EnvVar,
  volumes: ReadonlyMap<string, Volume>,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  if (valueFrom == null) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  const errors: FieldError[] = [];
  if (fieldRef != null) append(errors, validateFieldReference(fieldRef, VARIABLE_FIELDS, path.child('fieldRef')));
  if (resourceFieldRef != null) {
    append(errors, validateResourceReference(resourceFieldRef, 'variable', path.child('resourceFieldRef'), context));
  }
  for (const [name, reference] of Object.entries({ configMapKeyRef, secretKeyRef })) {
    if (reference == null) continue;
    append(errors, validateText(reference.name, dns1123Subdomain, path.child(name, 'name')));
    append(errors, validateRequiredText(reference.key, configKey, path.child(name, 'key')));
  }
  if (fileKeyRef != null) append(errors, validateFileKey(fileKeyRef, volumes, path.child('fileKeyRef')));
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(
    (source) => source != null,
  );
  if (sources.length === 0) {
    const last = context.gates.enabled('EnvFiles') ? ', `secretKeyRef` or `fileKeyRef`' : ' or `secretKeyRef`';
    const detail = `must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`${last}`;
    errors.push(invalidValue(path, '', detail));
  } else if (value) {
    errors.push(invalidValue(path, '', 'may not be specified when `value` is not empty'));
  } else if (sources.length > 1) {
    errors.push(invalidValue(path, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

/**
 * Validates config maps and secrets whose keys all become variables. Errors about a source as a whole are at `path`.
 */
export function validateEnvironmentSources(
  sources: readonly EnvFromSource[] | null | undefined,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  return (sources ?? []).flatMap(({ prefix, configMapRef, secretRef }, i) => {
    const at = path.index(i);
    const errors = prefix ? validateText(prefix, variableName(context), at.child('prefix')) : [];
    const given = Object.entries({ configMapRef, secretRef }).filter(([, reference]) => reference != null);
    for (const [name, reference] of given) {
      append(errors, validateRequiredText(reference?.name, dns1123Subdomain, at.child(name, 'name')));
    }
    if (given.length === 0) errors.push(invalidValue(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (given.length > 1) {
      errors.push(invalidValue(path, '', 'may not have more than one field specified at a time'));
    }
    return errors;
  });
}
