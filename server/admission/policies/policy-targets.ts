import { REVIEWS } from '../../api/reviews.ts';
import type { Target } from '../plugin.ts';

/**
 * Resources that policies never see: policies that refuse everything must stay changeable, and access reviews must
 * always be answered.
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

/** Whether policies may be asked about a kind of request. */
export function mayAskPolicies({ group, resource }: Target): boolean {
  return EXEMPT.get(group)?.has(resource) !== true;
}
