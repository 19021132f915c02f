import type { PolicyRule } from '#schema/generated/rbac.authorization.v1.ts';

/** A rule about one resource, or one path. */
export interface SingleRule {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly names: readonly string[];
  readonly paths: readonly string[];
}

/**
 * Splits rules, so that each rule is about one resource and at most one name, and merges rules about the same resource.
 * Sorts the result by verbs, groups, resources, names and paths.
 */
export function singleRules(rules: readonly PolicyRule[]): SingleRule[] {
  const singles = new Map<string, SingleRule>();
  for (const rule of rules.flatMap(apart)) {
    const { groups, resources, names, paths } = rule;
    // Rules about paths are not merged.
    const key = paths.length > 0 ? `${singles.size}` : JSON.stringify([groups, resources, names]);
    const known = singles.get(key);
    singles.set(key, known === undefined ? rule : { ...known, verbs: [...new Set([...known.verbs, ...rule.verbs])] });
  }
  return [...singles.values()].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function apart({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): SingleRule[] {
  const empty = { groups: [], resources: [], names: [], paths: [] };
  return [
    ...(apiGroups ?? []).flatMap((group) =>
      (resources ?? []).flatMap((resource) =>
        (verbs ?? []).flatMap((verb) => {
          const one = { ...empty, verbs: [verb], groups: [group], resources: [resource] };
          return resourceNames?.length ? resourceNames.map((name) => ({ ...one, names: [name] })) : [one];
        }),
      ),
    ),
    ...(nonResourceURLs ?? []).flatMap((path) =>
      (verbs ?? []).map((verb) => ({ ...empty, verbs: [verb], paths: [path] })),
    ),
  ];
}

function orderOf({ verbs, groups, resources, names, paths }: SingleRule): string {
  const text = (values: readonly string[]) => `[${values.join(' ')}]`;
  return [verbs, groups, resources, names, paths].map(text).join(',');
}

/** The text of a resource, such as `deployments.apps/scale`. */
export function resourceText({ groups: [group = ''], resources: [resource = ''] }: SingleRule): string {
  if (group === '') return resource;
  const [name, ...sub] = resource.split('/');
  return [`${name}.${group}`, ...sub].join('/');
}
