import type { Discovered } from '#client/discovery/discovered.ts';
import type { ValidatingAdmissionPolicy } from '#schema/generated/admissionregistration.v1.ts';

/** The largest number of kinds of a rule to check. */
const MAX_KINDS = 10;

/** A kind in the form in which clients name it. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * The kinds whose objects a policy is for, in order: the kinds of the resources in its rules. Rules with wildcards and
 * subresources name no kinds.
 */
export function matchedKinds({ spec }: ValidatingAdmissionPolicy, discovered: Discovered): readonly Kind[] {
  const found = new Map<string, Kind>();
  for (const rule of spec?.matchConstraints?.resourceRules ?? []) {
    const { apiGroups = [], apiVersions = [], resources = [] } = rule;
    if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) continue;
    const plurals = new Set(resources.filter((name) => !/[*/]/.test(name)));
    const kinds = discovered.types.filter(
      ({ group, version, plural }) => apiGroups.includes(group) && apiVersions.includes(version) && plurals.has(plural),
    );
    for (const { group, version, kind } of kinds.sort(byName).slice(0, MAX_KINDS)) {
      found.set(`${group}/${version}/${kind}`, { group, version, kind });
    }
  }
  return [...found.values()].sort(byName).slice(0, MAX_KINDS);
}

function byName(a: Kind, b: Kind): number {
  return compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
