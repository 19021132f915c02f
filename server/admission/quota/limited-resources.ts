import type { Naming } from '#base/naming/naming.ts';
import { resourceQuota } from '#program/operator-files/kinds.ts';
import type { FilePart } from '#program/operator-files/read-file.ts';
import type { Scope } from '#schema/quota/evaluator.ts';
import type { Usage } from '#schema/values/usage.ts';

/** Resources that may be used only if a quota covers them. */
export interface LimitedResource {
  /** The group in the form that clients write; '' for the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  /** Parts of names of quota resources. */
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly Scope[];
}

/**
 * The limited resources of a ResourceQuotaConfiguration.
 * @throws ConfigError with a line for each mistake
 */
export function readLimitedResources(configuration: FilePart | undefined, naming: Naming): readonly LimitedResource[] {
  const { limitedResources } = configuration?.as(resourceQuota, naming) ?? {};
  return (limitedResources ?? []).map(({ apiGroup, resource, matchContains, matchScopes }) => ({
    apiGroup: apiGroup ?? '',
    resource,
    matchContains: matchContains ?? [],
    matchScopes: matchScopes ?? [],
  }));
}

/** The used resources that only a quota can allow, sorted. */
export function limitedByDefault(limited: readonly LimitedResource[], usage: Usage): string[] {
  const parts = limited.flatMap(({ matchContains }) => matchContains);
  return Object.keys(usage)
    .filter((name) => usage[name]!.sign > 0 && parts.some((part) => name.includes(part)))
    .sort();
}
