import type { PolicyRule } from '#schema/generated/rbac.authorization.v1.ts';
import { coversPath } from './rule-matching.ts';

const ALL = '*';

function all(wanted: readonly string[], held: readonly string[]): boolean {
  return held.includes(ALL) || wanted.every((value) => held.includes(value));
}

/** Resources whose `*` and `*` + subresource match many. */
function allResources(wanted: readonly string[], held: readonly string[]): boolean {
  if (held.includes(ALL)) return true;
  return wanted.every((value) => {
    const slash = value.indexOf('/');
    return held.includes(value) || (slash >= 0 && held.includes(ALL + value.slice(slash)));
  });
}

function allNames(wanted: readonly string[], held: readonly string[]): boolean {
  return held.length === 0 || (wanted.length > 0 && wanted.every((name) => held.includes(name)));
}

/** Whether one rule allows everything that a simple rule (see {@link simpleRules}) allows. */
function covers(held: PolicyRule, simple: PolicyRule): boolean {
  return (
    all(simple.verbs ?? [], held.verbs ?? []) &&
    all(simple.apiGroups ?? [], held.apiGroups ?? []) &&
    allResources(simple.resources ?? [], held.resources ?? []) &&
    allNames(simple.resourceNames ?? [], held.resourceNames ?? []) &&
    (simple.nonResourceURLs ?? []).every((url) =>
      (held.nonResourceURLs ?? []).some((pattern) => coversPath(pattern, url)),
    )
  );
}

/**
 * Splits a rule into rules with one verb, one group, one resource and at most one name, or with one verb and one path.
 */
function simpleRules(rule: PolicyRule): PolicyRule[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const verbs = rule.verbs ?? [];
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  const simple: PolicyRule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        for (const name of names) {
          const named = name === undefined ? {} : { resourceNames: [name] };
          simple.push({ verbs: [verb], apiGroups: [group], resources: [resource], ...named });
        }
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) simple.push({ verbs: [verb], nonResourceURLs: [url] });
  return simple;
}

/** The simple rules of `wanted` that no rule of `held` covers. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(simpleRules).filter((simple) => !held.some((rule) => covers(rule, simple)));
}
