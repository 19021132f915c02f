import { type FieldError, type FieldPath, invalidValue, replacedByRule, required } from '#base/errors/field-error.ts';
import type { PolicyRule } from '#schema/generated/rbac.authorization.v1.ts';

function validateRule(rule: PolicyRule, namespaced: boolean, path: FieldPath): FieldError[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs: urls = [] } = rule;
  const errors: FieldError[] = [];
  if ((verbs ?? []).length === 0) {
    const at = path.child('verbs');
    errors.push(replacedByRule(required(at, 'verbs must contain at least one value'), 37, required(at)));
  }
  if (urls.length > 0) {
    const at = path.child('nonResourceURLs');
    if (namespaced) errors.push(invalidValue(at, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      errors.push(invalidValue(at, urls, 'rules cannot apply to both regular resources and non-resource URLs'));
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    errors.push(required(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    errors.push(required(path.child('resources'), 'resource rules must supply at least one resource'));
  }
  return errors;
}

/**
 * Validates the rules of a role. A rule is about resources or, in a cluster role, about other URLs, and not about both.
 */
export function validateRules(
  rules: readonly PolicyRule[] | null | undefined,
  namespaced: boolean,
  path: FieldPath,
): FieldError[] {
  return (rules ?? []).flatMap((rule, i) => validateRule(rule, namespaced, path.index(i)));
}
