import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import { type Count, validateNonnegative } from '#schema/validation/numbers.ts';

const STATUS = new FieldPath('status');

/** The counters of a status by the names of their fields. */
type Counts = Readonly<Record<string, Count | undefined>>;

/** Validates that none of the named counters of a status is below zero. */
export function validateCounts(status: object | undefined, fields: readonly string[]): FieldError[] {
  const counts = (status ?? {}) as Counts;
  return fields.flatMap((field) => validateNonnegative(counts[field], STATUS.child(field)));
}

/**
 * Validates that the named counters of a status are not greater than a limit. `limitName` is the name of the limit in
 * messages.
 */
export function validateAtMost(
  status: object | undefined,
  fields: readonly string[],
  limit: string,
  limitName: string,
): FieldError[] {
  const counts = (status ?? {}) as Counts;
  const most = Number(counts[limit] ?? 0);
  return fields
    .filter((field) => Number(counts[field] ?? 0) > most)
    .map((field) => invalidValue(STATUS.child(field), counts[field], `cannot be greater than ${limitName}`));
}

/** Validates that the count of name collisions only grows. */
export function validateCollisions(
  status: { collisionCount?: number } | undefined,
  old: { collisionCount?: number } | undefined,
): FieldError[] {
  const before = old?.collisionCount;
  const count = status?.collisionCount;
  if (before === undefined || (count !== undefined && count >= before)) return [];
  return [invalidValue(STATUS.child('collisionCount'), count ?? 0, 'cannot be decremented')];
}

/** Validates the status of replica sets and replication controllers. */
export function validateReplicaStatus(status: object | undefined): FieldError[] {
  return [
    ...validateCounts(status, [
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
      'terminatingReplicas',
    ]),
    ...validateAtMost(
      status,
      ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
      'replicas',
      'status.replicas',
    ),
    ...validateAtMost(status, ['availableReplicas'], 'readyReplicas', 'readyReplicas'),
  ];
}
