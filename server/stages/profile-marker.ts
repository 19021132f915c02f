import { ConfigError } from '#base/errors/config-error.ts';
import type { ObjectStore } from '#storage/object-store.ts';

function markerKey(prefix: string): string {
  return `${prefix}/profile`;
}

/**
 * Whether the store has the marker of its naming profile. It has it from the first start until the store is emptied.
 */
export async function isMarked(store: Pick<ObjectStore, 'get'>, prefix: string): Promise<boolean> {
  return (await store.get(markerKey(prefix))) !== undefined;
}

/**
 * Checks the marker, which names the profile. Keys are the same in both naming profiles, but the objects under them
 * differ.
 * @throws ConfigError if the data belongs to the other profile
 */
export async function checkProfile(store: ObjectStore, prefix: string, profile: string): Promise<void> {
  const key = markerKey(prefix);
  const value = Buffer.from(JSON.stringify({ naming: profile }));
  const found = await store.get(key);
  const outcome = found === undefined ? await store.create(key, value) : undefined;
  const current = found ?? (outcome?.outcome === 'exists' ? outcome.current : undefined);
  if (current === undefined || current.value.equals(value)) return;
  const { naming } = JSON.parse(current.value.toString()) as { naming: string };
  throw new ConfigError(
    `the data under ${prefix} was written with --naming=${naming}: start with that flag, or give another --etcd-prefix`,
  );
}
