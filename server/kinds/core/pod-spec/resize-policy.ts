import { append } from '#base/collections/append.ts';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { Container, EphemeralContainer } from '#schema/generated/core.v1.ts';

const RESOURCES = ['cpu', 'memory'];
const POLICIES = ['NotRequired', 'RestartContainer'];

/** Validates whether a container restarts when its processor or memory changes. */
export function validateResizePolicy(
  { resizePolicy, restartPolicy }: Container | EphemeralContainer,
  podRestarts: string | undefined,
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  return (resizePolicy ?? []).flatMap(({ resourceName, restartPolicy: policy }, i) => {
    const errors: FieldError[] = [];
    if (seen.has(resourceName)) errors.push(duplicate(path.index(i), resourceName));
    seen.add(resourceName);
    append(errors, validateWord(resourceName, RESOURCES, path), validateWord(policy, POLICIES, path));
    if (policy === 'RestartContainer' && podRestarts === 'Never' && restartPolicy !== 'Always')
      errors.push(invalidValue(path, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    return errors;
  });
}

function validateWord(word: string | undefined, supported: readonly string[], path: FieldPath): FieldError[] {
  if (word === undefined || word === '') return [required(path)];
  return supported.includes(word) ? [] : [notSupported(path, word, supported)];
}
