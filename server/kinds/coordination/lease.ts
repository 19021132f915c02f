import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { Lease } from '#schema/generated/coordination.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validatePositive } from '#schema/validation/numbers.ts';
import { defineKind } from '../define-kind.ts';

const SPEC = new FieldPath('spec');

function validate({ spec = {} }: Lease): FieldError[] {
  const { leaseTransitions: transitions } = spec;
  const errors = validatePositive(spec.leaseDurationSeconds, SPEC.child('leaseDurationSeconds'));
  if (transitions !== undefined && transitions < 0) {
    const detail = 'must be greater than or equal to 0';
    errors.push(invalidValue(SPEC.child('leaseTransitions'), transitions, detail));
  }
  return errors;
}

/** Who leads or lives, and since when. */
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
