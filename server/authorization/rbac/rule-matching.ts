import type { PolicyRule } from '#schema/generated/rbac.authorization.v1.ts';
import type { Attributes } from '../../api/attributes.ts';

const ALL = '*';

function has(list: readonly string[] | null | undefined, value: string): boolean {
  return list !== null && list !== undefined && (list.includes(value) || list.includes(ALL));
}

function coversResource({ resources = [] }: PolicyRule, resource: string, subresource: string): boolean {
  if (has(resources, subresource === '' ? resource : `${resource}/${subresource}`)) return true;
  return subresource !== '' && resources.includes(`*/${subresource}`);
}

/** Whether a pattern of `nonResourceURLs` covers a path. A `*` at the end matches any rest. */
function coversPath(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith(ALL) && path.startsWith(pattern.slice(0, -1)));
}

/** Whether one rule allows the request. */
export function ruleAllows(rule: PolicyRule, asked: Attributes): boolean {
  if (!has(rule.verbs, asked.verb)) return false;
  if (!asked.isResource) return (rule.nonResourceURLs ?? []).some((pattern) => coversPath(pattern, asked.path));
  const { resourceNames = [] } = rule;
  return (
    has(rule.apiGroups, asked.group) &&
    coversResource(rule, asked.resource, asked.subresource) &&
    (resourceNames.length === 0 || resourceNames.includes(asked.name))
  );
}
