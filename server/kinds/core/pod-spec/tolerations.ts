import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
} from '#base/errors/field-error.ts';
import type { Toleration } from '#schema/generated/core.v1.ts';
import { semanticKey } from '#schema/validation/immutable.ts';
import { validateLabelKey } from '#schema/validation/labels.ts';
import { labelValue } from '#schema/validation/names.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Validates the taints of nodes that a pod tolerates. */
export function validateTolerations(
  tolerations: readonly Toleration[] | null | undefined,
  path: FieldPath,
): FieldError[] {
  return (tolerations ?? []).flatMap((toleration, i) => validateToleration(toleration, path.index(i)));
}

function validateToleration(toleration: Toleration, path: FieldPath): FieldError[] {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  const errors = key === '' ? [] : validateLabelKey(key, path.child('key'));
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidValue(path.child('operator'), operator, detail));
  }
  if (tolerationSeconds != null && effect !== 'NoExecute') {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalidValue(path.child('effect'), effect, detail));
  }
  if (operator === 'Equal' || operator === '') {
    const problems = labelValue(value);
    if (problems.length > 0) errors.push(invalidValue(path.child('operator'), value, problems.join(';')));
  } else if (operator !== 'Exists') {
    errors.push(notSupported(path.child('operator'), operator, ['Equal', 'Exists']));
  } else if (value !== '') {
    const detail = "value must be empty when `operator` is 'Exists'";
    errors.push(invalidValue(path.child('operator'), toleration, detail));
  }
  if (effect !== '' && !EFFECTS.includes(effect)) errors.push(notSupported(path.child('effect'), effect, EFFECTS));
  return errors;
}

/** Validates a change of tolerations. They may only be added. In existing ones only the seconds may change. */
export function validateAddedTolerations(
  tolerations: readonly Toleration[] | null | undefined,
  old: readonly Toleration[] | null | undefined,
  path: FieldPath,
): FieldError[] {
  const timeless = ({ tolerationSeconds: _, ...rest }: Toleration) => semanticKey(rest);
  const now = new Set((tolerations ?? []).map(timeless));
  const kept = (old ?? []).every((one) => now.has(timeless(one)));
  if (!kept) return [forbiddenField(path, 'existing toleration can not be modified except its tolerationSeconds')];
  return validateTolerations(tolerations, path);
}
