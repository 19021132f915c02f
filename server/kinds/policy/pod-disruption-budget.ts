import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, invalidValue, notSupported } from '#base/errors/field-error.ts';
import { podDisruptionBudgetVersions } from '#schema/conversion/policy/pod-disruption-budget.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '#schema/generated/policy.v1.ts';
import { validateConditions } from '#schema/validation/conditions.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { pathSegmentName } from '#schema/validation/names.ts';
import { validateAtMostAll, validateCountOrPercent } from '#schema/validation/percent.ts';
import { validateCounts } from '../apps/workload-status.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';

const SPEC = new FieldPath('spec');
/** Which pods that are not healthy may be evicted: all of them, or none as long as too few pods are healthy. */
const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

function validate({ spec = {} }: PodDisruptionBudget): FieldError[] {
  const { minAvailable, maxUnavailable }: PodDisruptionBudgetSpec = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(invalidValue(SPEC, spec, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    append(errors, validateCountOrPercent(spec[field], SPEC.child(field)));
    append(errors, validateAtMostAll(spec[field], SPEC.child(field)));
  }
  append(errors, validateLabelSelector(spec.selector, SPEC.child('selector')));
  const { unhealthyPodEvictionPolicy: policy } = spec;
  if (policy !== undefined && !EVICTION_POLICIES.includes(policy))
    errors.push(notSupported(SPEC.child('unhealthyPodEvictionPolicy'), policy, EVICTION_POLICIES));
  return errors;
}

/** The kind of disruption budgets. Each limits how many of its selected pods may be evicted at once. */
export const podDisruptionBudget = defineKind('policy/poddisruptionbudgets', {
  // Budgets are found by their selectors, so their names have no rules.
  validateName: pathSegmentName,
  // Their metadata is checked only if everything else is valid.
  validatesOwnMetadata: true,
  ignoresMetadataChange: true,
  versions: podDisruptionBudgetVersions,
  validate,
  validateUpdate: validate,
  subresources: {
    status: {
      prepareForUpdate: keepSpec,
      ignoresMetadataChange: true,
      validateUpdate: ({ status }, _old, { release }) => [
        ...validateConditions(status?.conditions, new FieldPath('status').child('conditions'), release),
        ...validateCounts(status, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']),
      ],
    },
  },
  cells: ({ metadata, spec, status }, { now }) => [
    metadata.name ?? '',
    String(spec?.minAvailable ?? 'N/A'),
    String(spec?.maxUnavailable ?? 'N/A'),
    status?.disruptionsAllowed ?? 0,
    age(metadata.creationTimestamp, now),
  ],
});
