import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import type { Lease } from '#schema/generated/coordination.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { age } from '#schema/validation/human-duration.ts';
import { defineKind } from '../define-kind.ts';

const SPEC = new FieldPath('spec');
const LIMITS = bounds['coordination.v1.LeaseSpec'];

function validate({ spec = {} }: Lease): FieldError[] {
  return [
    ...validateBound(spec.leaseDurationSeconds, LIMITS.leaseDurationSeconds, SPEC.child('leaseDurationSeconds')),
    ...validateBound(spec.leaseTransitions, LIMITS.leaseTransitions, SPEC.child('leaseTransitions')),
  ];
}

/** The kind of leases. A lease says which program leads or is alive, and since when. */
export const lease = defineKind('coordination/leases', {
  anyFinalizers: true,
  validate,
  validateUpdate: validate,
  cells: ({ metadata, spec }, { now }) => [
    metadata.name ?? '',
    spec?.holderIdentity ?? '',
    age(metadata.creationTimestamp, now),
  ],
});
