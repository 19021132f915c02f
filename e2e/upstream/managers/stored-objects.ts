import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Replica } from '../../replica.ts';

/** Kinds whose objects describe the work of managers. */
const ABOUT_WORK = new Set([
  'events',
  'leases',
  'componentstatuses',
  'apiservices',
  'flowschemas',
  'prioritylevelconfigurations',
]);

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** Everything that is stored, by resource, namespace and name, without the values that differ from run to run. */
export async function storedObjects(replica: Replica, naming: Naming): Promise<ReadonlyMap<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  const read = async <T>(path: string): Promise<T> => JSON.parse((await replica.request('GET', path)).body) as T;
  const { groups } = await read<{ groups: { preferredVersion: { groupVersion: string } }[] }>('/apis');
  const versions = groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`);
  for (const root of ['/api/v1', ...versions]) {
    const { resources } = await read<ResourceList>(root);
    for (const { name, verbs } of resources) {
      if (!verbs.includes('list') || name.includes('/') || ABOUT_WORK.has(name)) continue;
      const { items } = await read<{ items: JsonObject[] }>(`${root}/${name}`);
      for (const item of items) {
        const metadata = item['metadata'] as JsonObject;
        if (isOfSystem(metadata, naming)) continue;
        found.set(`${name} ${metadata['namespace'] ?? ''}/${plainName(metadata)}`, plain(item) as JsonObject);
      }
    }
  }
  return found;
}

/**
 * The API's own service, whose port differs in each run, and the accounts of managers, which exist once the managers
 * work.
 */
function isOfSystem({ namespace, name }: JsonObject, naming: Naming): boolean {
  return namespace === naming.prefixed('system') || (namespace === 'default' && name === naming.product);
}

/** The name of an object without the part that the server generated. */
function plainName({ name, generateName }: JsonObject): JsonValue {
  return typeof generateName === 'string' ? `${generateName}*` : (name ?? '');
}

/** Members whose values differ in each run, or are free text. */
const OF_ONE_RUN = /^(uid|resourceVersion|clusterIP|nodePort|healthCheckNodePort|.*\.uid|.*\/description)$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function plain(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) return key === 'clusterIPs' ? ['*'] : value.map((item) => plain(item));
  if (typeof value === 'string') {
    if (TIME.test(value)) return 'TIME';
    return value.length > 300 ? 'LONG' : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const isGenerated = Object.hasOwn(value, 'generateName');
  const members = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    members
      .filter(([name]) => name !== 'managedFields')
      .map(([name, member]) => {
        const ofOneRun = (OF_ONE_RUN.test(name) && member !== 'None') || (name === 'name' && isGenerated);
        return [name, ofOneRun ? '*' : plain(member!, name)];
      }),
  );
}
