import { duplicate, type FieldError, type FieldPath, invalidValue, notSupported } from '#base/errors/field-error.ts';
import type { Container, EphemeralContainer } from '#schema/generated/core.v1.ts';

const RESOURCES = ['cpu', 'memory'];
const POLICIES = ['NotRequired', 'RestartContainer'];

/** Whether a container starts again when its processor or memory changes. */
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
    if (!RESOURCES.includes(resourceName)) errors.push(notSupported(path, resourceName, RESOURCES));
    if (!POLICIES.includes(policy)) errors.push(notSupported(path, policy, POLICIES));
    if (policy === 'RestartContainer' && podRestarts === 'Never' && restartPolicy !== 'Always')
      errors.push(invalidValue(path, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    return errors;
  });
}
