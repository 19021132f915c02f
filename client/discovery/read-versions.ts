import type { Client } from '../client.ts';
import { Discovered, type DiscoveredType, type DiscoveredVersion } from './discovered.ts';

interface ApiResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

interface ApiGroup {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
  readonly preferredVersion?: { readonly version: string };
}

/** Documents asked for at once. */
const AT_ONCE = 8;

/** Everything that is served, as told in one document per version. Versions that cannot be read are told apart. */
export async function readVersions(client: Client, signal?: AbortSignal): Promise<Discovered> {
  const [core, others] = await Promise.all([
    client.getJson<{ versions?: string[] }>('/api', { signal }),
    client.getJson<{ groups?: ApiGroup[] }>('/apis', { signal }),
  ]);
  const wanted = [
    ...(core.versions ?? []).map((version) => ({ group: '', version })),
    ...(others.groups ?? []).flatMap(({ name, versions, preferredVersion }) =>
      preferredFirst(
        versions.map(({ version }) => version),
        preferredVersion?.version,
      ).map((version) => ({ group: name, version })),
    ),
  ];
  const failed = new Map<string, Error>();
  const found: (DiscoveredVersion | undefined)[] = new Array(wanted.length);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < wanted.length; at = next++) {
      const { group, version } = wanted[at]!;
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      try {
        const { resources = [] } = await client.getJson<{ resources?: ApiResource[] }>(path, { signal });
        found[at] = { group, version, types: toTypes(group, version, resources) };
      } catch (error) {
        signal?.throwIfAborted();
        failed.set(group === '' ? version : `${group}/${version}`, error as Error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return new Discovered(
    found.filter((version) => version !== undefined),
    failed,
  );
}

function preferredFirst(versions: readonly string[], preferred: string | undefined): readonly string[] {
  return preferred === undefined ? versions : [preferred, ...versions.filter((version) => version !== preferred)];
}

function toTypes(group: string, version: string, resources: readonly ApiResource[]): DiscoveredType[] {
  const subresources = resources.map(({ name }) => name.split('/')).filter((parts) => parts.length > 1);
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      group,
      version,
      plural: resource.name,
      kind: resource.kind,
      namespaced: resource.namespaced,
      singular: resource.singularName ?? '',
      verbs: resource.verbs,
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      subresources: subresources.filter(([parent]) => parent === resource.name).map(([, sub]) => sub!),
    }));
}
