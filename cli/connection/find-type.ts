import type { Discovered, DiscoveredType } from '#client/discovery/discovered.ts';

/**
 * The type that `pods`, `pod`, `po`, `Pod`, `deployments.apps` or `deployments.v1.apps` means. Short names must match
 * exactly. If several types have the name, the type of the first group counts.
 */
export function findType(discovered: Discovered, text: string): DiscoveredType | undefined {
  const [first = '', ...rest] = text.split('.');
  if (first === '') return undefined;
  const types = discovered.types;
  if (rest.length > 0) {
    const [version, ...group] = rest;
    const isVersion = (type: DiscoveredType) =>
      group.length > 0 && type.version === version && type.group === group.join('.');
    // The core group has no name: `pods.v1.` ends with a dot.
    const exact = types.find((type) => isNamed(first)(type) && isVersion(type));
    if (exact !== undefined) return exact;
    // The version after a short name is ignored.
    const short = types.find(
      (type) => group.length > 0 && type.shortNames.includes(first) && type.group === group.join('.'),
    );
    if (short !== undefined) return short;
    const ofGroup = (type: DiscoveredType) => type.group === rest.join('.') || startsGroup(type.group, rest);
    return (
      types.find((type) => isNamed(first)(type) && ofGroup(type)) ??
      types.find((type) => type.shortNames.includes(first) && ofGroup(type))
    );
  }
  return types.find(isNamed(first)) ?? types.find(({ shortNames }) => shortNames.includes(first));
}

/** The type that a name means in a group, or in a group whose name begins with that text. '' means any group. */
export function typeInGroup(types: readonly DiscoveredType[], name: string, group: string): DiscoveredType | undefined {
  const of = types.filter((type) => group === '' || type.group === group || startsGroup(type.group, [group]));
  return of.find(isNamed(name)) ?? of.find(({ shortNames }) => shortNames.includes(name));
}

/** Whether a type has this name, in any form except a short name. */
export function isNamed(name: string): (type: DiscoveredType) => boolean {
  const wanted = name.toLowerCase();
  return (type) =>
    type.plural === wanted || type.singular === wanted || (type.singular || type.kind.toLowerCase()) === wanted;
}

/** Other types with the same short name. The short name does not mean them. */
export function hiddenBy(discovered: Discovered, text: string, found: DiscoveredType): readonly DiscoveredType[] {
  if (!found.shortNames.includes(text) || found.plural === text || found.singular === text) return [];
  return discovered
    .preferred()
    .filter((type) => type.shortNames.includes(text) && (type.plural !== found.plural || type.group !== found.group));
}

/** `deployments.ap` finds the group `apps`, as the field's clients do. */
function startsGroup(group: string, rest: readonly string[]): boolean {
  return group !== '' && group.startsWith(rest.join('.'));
}
