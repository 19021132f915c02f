/** A rule of a role. */
export interface Rule {
  readonly verbs?: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly resourceNames?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[] | null;
}

/**
 * A request that is checked against rights. It is for a path, or for objects. Without a name, it is for all objects of
 * the type.
 */
export type Wanted =
  | { readonly verb: string; readonly path: string }
  | { readonly verb: string; readonly group: string; readonly resource: string; readonly name?: string };

/**
 * Whether one of the rules allows the request, by the rules of role based access control (docs of the server: RBAC).
 */
export function grants(rules: readonly Rule[], wanted: Wanted): boolean {
  return rules.some((rule) => {
    if (!has(rule.verbs, wanted.verb)) return false;
    if ('path' in wanted)
      return (rule.nonResourceURLs ?? []).some(
        (url) => url === '*' || url === wanted.path || (url.endsWith('*') && wanted.path.startsWith(url.slice(0, -1))),
      );
    const names = rule.resourceNames ?? [];
    const byName = names.length === 0 || (wanted.name !== undefined && names.includes(wanted.name));
    return byName && has(rule.apiGroups, wanted.group) && hasResource(rule.resources, wanted.resource);
  });
}

function has(list: readonly string[] | null | undefined, value: string): boolean {
  return list?.some((each) => each === '*' || each === value) ?? false;
}

function hasResource(list: readonly string[] | null | undefined, resource: string): boolean {
  const slash = resource.indexOf('/');
  const anyParent = slash < 0 ? undefined : `*${resource.slice(slash)}`;
  return has(list, resource) || (anyParent !== undefined && (list?.includes(anyParent) ?? false));
}
