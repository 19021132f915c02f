import type { Target } from '../plugin.ts';

/** Policies that refuse everything must stay changeable, and who asks what they may do is asked nothing. */
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
  ['authentication', new Set(['selfsubjectreviews', 'tokenreviews'])],
  [
    'authorization',
    new Set([
      'localsubjectaccessreviews',
      'selfsubjectaccessreviews',
      'selfsubjectrulesreviews',
      'subjectaccessreviews',
    ]),
  ],
]);

/** Whether policies may be asked about a kind of request. */
export function mayAskPolicies({ group, resource }: Target): boolean {
  return EXEMPT.get(group)?.has(resource) !== true;
}
