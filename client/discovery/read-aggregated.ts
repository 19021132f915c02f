import { fieldsIn, isFields, textOf, textsOf } from '../answers.ts';
import type { Client } from '../client.ts';
import { Discovered, type DiscoveredType, type DiscoveredVersion } from './discovered.ts';

/** Reads all served resources from one document for `/api` and one for `/apis`; undefined with older servers. */
export async function readAggregated(client: Client, signal?: AbortSignal): Promise<Discovered | undefined> {
  const group = client.naming.group('apidiscovery');
  const forms = ['v2', 'v2beta1'].map((v) => `application/json;g=${group};v=${v};as=APIGroupDiscoveryList`);
  const accept = [...forms, 'application/json'].join(',');
  const ask = (path: string) =>
    client.getJson<{ kind?: unknown; items?: unknown }>(path, { signal, headers: { accept } });
  const [core, others] = await Promise.all([ask('/api'), ask('/apis')]);
  if (core.kind !== 'APIGroupDiscoveryList' || others.kind !== 'APIGroupDiscoveryList') return undefined;
  const failed = new Map<string, Error>();
  const items = [...fieldsIn(core.items), ...fieldsIn(others.items)];
  return new Discovered(
    items.flatMap((item) => toVersions(item, failed)),
    failed,
  );
}

/** Versions of a group; malformed parts are left out. */
function toVersions(item: Readonly<Record<string, unknown>>, failed: Map<string, Error>): DiscoveredVersion[] {
  const { metadata, versions } = item;
  const group = isFields(metadata) ? textOf(metadata['name']) : '';
  return fieldsIn(versions).map(({ version: name, freshness, resources }) => {
    const version = textOf(name);
    if (freshness === 'Stale') failed.set(`${group}/${version}`, new Error('what is known of it is old'));
    const types = fieldsIn(resources).map(
      (resource): DiscoveredType => ({
        group,
        version,
        plural: textOf(resource['resource']),
        kind: isFields(resource['responseKind']) ? textOf(resource['responseKind']['kind']) : '',
        namespaced: resource['scope'] === 'Namespaced',
        singular: textOf(resource['singularResource']),
        verbs: textsOf(resource['verbs']),
        shortNames: textsOf(resource['shortNames']),
        categories: textsOf(resource['categories']),
        subresources: fieldsIn(resource['subresources']).map(({ subresource }) => textOf(subresource)),
      }),
    );
    return { group, version, types };
  });
}
