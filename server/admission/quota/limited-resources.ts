import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Scope } from '#schema/quota/evaluator.ts';
import type { Usage } from '#schema/quota/usage.ts';
import { configurationOf, type PluginConfiguration } from '../configuration.ts';

/** What may only be used where a quota covers it. */
export interface LimitedResource {
  /** As clients write it; '' for the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  /** Parts of names of quota resources. */
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly Scope[];
}

type Fields = Record<string, unknown>;

/**
 * The limited resources of a ResourceQuotaConfiguration.
 * @throws ConfigError
 */
export function readLimitedResources(
  configuration: PluginConfiguration | undefined,
  naming: Naming,
): readonly LimitedResource[] {
  const fields = configurationOf(configuration, [
    ['ResourceQuotaConfiguration', naming.apiVersion('apiserver.config', 'v1')],
    ['Configuration', naming.apiVersion('resourcequota.admission', 'v1')],
    ['Configuration', naming.apiVersion('resourcequota.admission', 'v1beta1')],
    ['Configuration', naming.apiVersion('resourcequota.admission', 'v1alpha1')],
  ]);
  const entries = fields?.['limitedResources'] ?? [];
  if (!Array.isArray(entries)) throw new ConfigError(`${configuration?.file}: limitedResources is not a list`);
  return (entries as Fields[]).map((entry) => {
    if (typeof entry?.['resource'] !== 'string' || entry['resource'] === '') {
      throw new ConfigError(`${configuration?.file}: an entry of limitedResources has no resource`);
    }
    return {
      apiGroup: typeof entry['apiGroup'] === 'string' ? entry['apiGroup'] : '',
      resource: entry['resource'],
      matchContains: (entry['matchContains'] ?? []) as string[],
      matchScopes: (entry['matchScopes'] ?? []) as Scope[],
    };
  });
}

/** The used resources that only a quota can allow, sorted. */
export function limitedByDefault(limited: readonly LimitedResource[], usage: Usage): string[] {
  const parts = limited.flatMap(({ matchContains }) => matchContains);
  return Object.keys(usage)
    .filter((name) => usage[name]!.sign > 0 && parts.some((part) => name.includes(part)))
    .sort();
}
