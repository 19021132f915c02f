import { fieldsIn, isFields, textOf, textsOf } from '../answers.ts';
import type { Client } from '../client.ts';
import { Discovered, type DiscoveredType, type DiscoveredVersion } from './discovered.ts';

/** The largest number of documents that are requested at the same time. */
const AT_ONCE = 8;

/**
 * Reads all served resources from one document for each version. The result names the versions that could not be read.
 */
export async function readVersions(client: Client, signal?: AbortSignal): Promise<Discovered> {
  const [core, others] = await Promise.all([
    client.getJson<{ versions?: unknown }>('/api', { signal }),
    client.getJson<{ groups?: unknown }>('/apis', { signal }),
  ]);
  const wanted = [
    ...textsOf(core.versions).map((version) => ({ group: '', version })),
    ...fieldsIn(others.groups).flatMap(({ name, versions, preferredVersion }) =>
      preferredFirst(
        fieldsIn(versions).map(({ version }) => textOf(version)),
        isFields(preferredVersion) ? textOf(preferredVersion['version']) : '',
      ).map((version) => ({ group: textOf(name), version })),
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
        const { resources } = await client.getJson<{ resources?: unknown }>(path, { signal });
        found[at] = { group, version, types: toTypes(group, version, fieldsIn(resources)) };
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

function preferredFirst(versions: readonly string[], preferred: string): readonly string[] {
  return preferred === '' ? versions : [preferred, ...versions.filter((version) => version !== preferred)];
}

function toTypes(
  group: string,
  version: string,
  resources: readonly Readonly<Record<string, unknown>>[],
): readonly DiscoveredType[] {
  const names = resources.map(({ name }) => textOf(name));
  const subresources = names.map((name) => name.split('/')).filter((parts) => parts.length > 1);
  return resources
    .filter((_, at) => !names[at]!.includes('/'))
    .map((resource) => ({
      group,
      version,
      plural: textOf(resource['name']),
      kind: textOf(resource['kind']),
      namespaced: resource['namespaced'] === true,
      singular: textOf(resource['singularName']),
      verbs: textsOf(resource['verbs']),
      shortNames: textsOf(resource['shortNames']),
      categories: textsOf(resource['categories']),
      subresources: subresources.filter(([parent]) => parent === resource['name']).map(([, sub]) => sub!),
    }));
}
