import type { Flag } from '../../framework/flag.ts';

const POLICIES = ['', 'Always', 'IfNotPresent', 'Never'];

/** The flag that sets when the node pulls the image of the new container. */
export const pullPolicyFlag: Flag = {
  name: 'image-pull-policy',
  type: 'string',
  help: 'When to pull the image: Always, IfNotPresent or Never',
};

/** The error about a value of {@link pullPolicyFlag}. Undefined means that the value is correct. */
export function wrongPullPolicy(given: string): string | undefined {
  return POLICIES.includes(given) ? undefined : `invalid image pull policy: ${given}`;
}
