import type { Client } from '../client.ts';
import { Discovered, type DiscoveredType, type DiscoveredVersion } from './discovered.ts';

interface GroupDiscovery {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly {
    readonly version: string;
    readonly freshness?: string;
    readonly resources?: readonly {
      readonly resource: string;
      readonly responseKind?: { readonly kind?: string };
      readonly scope: string;
      readonly singularResource?: string;
      readonly verbs: readonly string[];
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
      readonly subresources?: readonly { readonly subresource: string }[];
    }[];
  }[];
}

/** Everything that is served, as told in one document for `/api` and one for `/apis`; undefined by older servers. */
export async function readAggregated(client: Client, signal?: AbortSignal): Promise<Discovered | undefined> {
  const group = client.naming.group('apidiscovery');
  const forms = ['v2', 'v2beta1'].map((v) => `application/json;g=${group};v=${v};as=APIGroupDiscoveryList`);
  const accept = [...forms, 'application/json'].join(',');
  const ask = (path: string) =>
    client.getJson<{ kind?: string; items?: GroupDiscovery[] }>(path, { signal, headers: { accept } });
  const [core, others] = await Promise.all(['/api', '/apis'].map(ask));
  if (core?.kind !== 'APIGroupDiscoveryList' || others?.kind !== 'APIGroupDiscoveryList') return undefined;
  const failed = new Map<string, Error>();
  const versions = [...(core.items ?? []), ...(others.items ?? [])].flatMap((item) => toVersions(item, failed));
  return new Discovered(versions, failed);
}

function toVersions(item: GroupDiscovery, failed: Map<string, Error>): DiscoveredVersion[] {
  const group = item.metadata?.name ?? '';
  return (item.versions ?? []).map(({ version, freshness, resources = [] }) => {
    if (freshness === 'Stale') failed.set(`${group}/${version}`, new Error('what is known of it is old'));
    const types = resources.map(
      (resource): DiscoveredType => ({
        group,
        version,
        plural: resource.resource,
        kind: resource.responseKind?.kind ?? '',
        namespaced: resource.scope === 'Namespaced',
        singular: resource.singularResource ?? '',
        verbs: resource.verbs,
        shortNames: resource.shortNames ?? [],
        categories: resource.categories ?? [],
        subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
      }),
    );
    return { group, version, types };
  });
}
