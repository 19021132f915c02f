import type { Rule } from '#client/access/grants.ts';

/** A rule about one type of resource (and at most one name), or about one path. */
export interface SingleRule {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly path: string;
  readonly verbs: readonly string[];
}

/**
 * Splits rules into single rules. A rule for a resource has all its verbs. A rule for a path has one verb. The result
 * is sorted by verbs, then by group and resource.
 */
export function singleRules(rules: readonly Rule[]): SingleRule[] {
  const byResource = new Map<string, SingleRule & { verbs: string[] }>();
  const others: SingleRule[] = [];
  for (const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } of rules) {
    for (const path of nonResourceURLs ?? [])
      for (const verb of verbs ?? []) others.push({ group: '', resource: '', name: '', path, verbs: [verb] });
    const names = resourceNames?.length ? resourceNames : [''];
    for (const group of apiGroups ?? [])
      for (const resource of resources ?? [])
        for (const name of names) {
          const key = JSON.stringify([group, resource, name]);
          const present = byResource.get(key);
          if (present === undefined)
            byResource.set(key, { group, resource, name, path: '', verbs: [...(verbs ?? [])] });
          else present.verbs.push(...(verbs ?? []));
        }
  }
  const text = ({ verbs, group, resource, name, path }: SingleRule) => {
    const about = path === '' ? [group, resource, name, ''] : ['', '', '', path];
    return [`[${verbs.join(' ')}]`, ...about.map((each) => `[${each}]`)].join(',');
  };
  return [...byResource.values(), ...others]
    .map((rule) => ({ rule, text: text(rule) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ rule }) => rule);
}
