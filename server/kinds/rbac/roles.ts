import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { ClusterRole } from '#schema/generated/rbac.authorization.v1.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { roleName } from '#schema/validation/names.ts';
import { isUsable } from '../apps/workload-selector.ts';
import { defineKind } from '../define-kind.ts';
import { validateRules } from './policy-rules.ts';

const RULES = new FieldPath('rules');

function validateAggregation({ aggregationRule }: ClusterRole): FieldError[] {
  if (aggregationRule === undefined) return [];
  const path = new FieldPath('aggregationRule').child('clusterRoleSelectors');
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, i) => {
    const at = path.index(i);
    const asWhole = isUsable(selector, at) ? [] : [invalidValue(at, 'null', 'invalid label selector.')];
    return [...validateLabelSelector(selector, at), ...asWhole];
  });
}

/** The kind of rights in one namespace. Updates report everything twice, because clients see it so. */
export const role = defineKind('rbac.authorization/roles', {
  validateName: roleName,
  revalidatesOnUpdate: true,
  validate: (object) => validateRules(object.rules, true, RULES),
  validateUpdate: (object, _old, { naming }) => [
    ...validateKindMetadata(object, { namespaced: true, validateName: roleName }, naming),
    ...validateRules(object.rules, true, RULES),
  ],
});

/** The kind of rights in the whole cluster. A role can also collect them from other cluster roles, by their labels. */
export const clusterRole = defineKind('rbac.authorization/clusterroles', {
  validateName: roleName,
  revalidatesOnUpdate: true,
  validate: (object) => [...validateRules(object.rules, false, RULES), ...validateAggregation(object)],
  validateUpdate: (object, _old, { naming }) => [
    ...validateKindMetadata(object, { namespaced: false, validateName: roleName }, naming),
    ...validateRules(object.rules, false, RULES),
    ...validateAggregation(object),
  ],
});
