import type { Flag } from '../../framework/flag.ts';

const POLICIES = ['', 'Always', 'IfNotPresent', 'Never'];

/** When the image of a container that is made is pulled. */
export const pullPolicyFlag: Flag = {
  name: 'image-pull-policy',
  type: 'string',
  help: 'Always, IfNotPresent or Never',
};

/** What is wrong with what was given for {@link pullPolicyFlag}. */
export function wrongPullPolicy(given: string): string | undefined {
  return POLICIES.includes(given) ? undefined : `invalid image pull policy: ${given}`;
}
