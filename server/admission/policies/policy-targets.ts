import { REVIEWS } from '../../api/reviews.ts';
import type { Target } from '../plugin.ts';

/**
 * Resources to which policies never apply. An administrator must always be able to change a policy that refuses
 * everything, and access reviews must always be answered.
 */
const EXEMPT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'admissionregistration',
    new Set([
      'mutatingadmissionpolicies',
      'mutatingadmissionpolicybindings',
      'validatingadmissionpolicies',
      'validatingadmissionpolicybindings',
    ]),
  ],
  ...REVIEWS,
]);

/** Whether policies may apply to a kind of request. */
export function mayAskPolicies({ group, resource }: Target): boolean {
  return EXEMPT.get(group)?.has(resource) !== true;
}
