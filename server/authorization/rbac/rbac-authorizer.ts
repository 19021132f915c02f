import type { PolicyRule, Subject } from '#schema/generated/rbac.authorization.v1.ts';
import { type Authorizer, joinErrors, type PathRule, type ResourceRule } from '../authorizer.ts';
import type { Bound } from './bindings-index.ts';
import type { Policy } from './policy.ts';
import { ruleAllows } from './rule-matching.ts';

function subjectText({ kind, name, namespace = '' }: Subject): string {
  return kind === 'ServiceAccount'
    ? `${kind} ${JSON.stringify(`${name}/${namespace}`)}`
    : `${kind} ${JSON.stringify(name)}`;
}

function reasonOf({ name, namespace, subject, roleRef }: Bound): string {
  const binding =
    namespace === ''
      ? `ClusterRoleBinding ${JSON.stringify(name)}`
      : `RoleBinding ${JSON.stringify(`${name}/${namespace}`)}`;
  return `RBAC: allowed by ${binding} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${subjectText(subject)}`;
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): ResourceRule {
  return {
    verbs: verbs ?? [],
    ...(apiGroups && { apiGroups }),
    ...(resources && { resources }),
    ...(resourceNames && { resourceNames }),
  };
}

/** Allows a request if a rule of a role allows it, and the role is bound to the user or to one of the user's groups. */
export function rbacAuthorizer(policy: Policy): Authorizer {
  return {
    authorize(attributes) {
      const errors: string[] = [];
      for (const { bound, rules } of policy.grants(attributes.user, attributes.namespace)) {
        if (rules === undefined) errors.push(policy.missing(bound.roleRef));
        else if (rules.some((rule) => ruleAllows(rule, attributes))) {
          return { verdict: 'allow', reason: reasonOf(bound) };
        }
      }
      return { verdict: 'no-opinion', reason: errors.length === 0 ? '' : `RBAC: ${joinErrors(errors)}` };
    },
    rules(user, namespace) {
      const resourceRules: ResourceRule[] = [];
      const nonResourceRules: PathRule[] = [];
      const errors: string[] = [];
      for (const { bound, rules } of policy.grants(user, namespace)) {
        if (rules === undefined) errors.push(policy.missing(bound.roleRef));
        for (const rule of rules ?? []) {
          if ((rule.resources ?? []).length > 0) resourceRules.push(resourceRule(rule));
          if (bound.namespace === '' && (rule.nonResourceURLs ?? []).length > 0) {
            nonResourceRules.push({ verbs: rule.verbs ?? [], nonResourceURLs: rule.nonResourceURLs! });
          }
        }
      }
      return {
        resourceRules,
        nonResourceRules,
        incomplete: false,
        errors: errors.length === 0 ? [] : [joinErrors(errors)],
      };
    },
  };
}
