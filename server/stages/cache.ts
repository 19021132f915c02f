import type { Logger } from 'pino';
import { storageId } from '#schema/descriptors/storage-id.ts';
import type { DataStore } from '#storage/data-store.ts';
import { WatchCache } from '../cache/watch-cache.ts';
import { WRITTEN_RELEASES } from '../resources/other-releases.ts';
import { POLICY_MARKER } from '../resources/policy-marker.ts';
import { selectableFields } from '../resources/selectable-fields.ts';
import type { BuiltInKinds } from './built-in-kinds.ts';
import type { StoreStage } from './store.ts';

/**
 * The second stage: the cache of all stored objects. It is empty until its `start`, and its `stop` ends the feeds. Its
 * readers may be made before it is filled. Each store has a separate cache, because its revisions are separate.
 */
export function createCache(
  kinds: BuiltInKinds,
  { main, elsewhere }: Pick<StoreStage, 'main' | 'elsewhere'>,
  prefix: string,
  log: Logger,
): WatchCache {
  const resources = cachedResources(kinds);
  const idOf = ({ group, plural }: { group: string; plural: string }) => storageId(group, plural);
  const caches = new Map<DataStore, WatchCache>();
  for (const store of new Set(elsewhere.values())) {
    const own = resources.filter((resource) => elsewhere.get(idOf(resource)) === store);
    caches.set(store, new WatchCache({ store, prefix, resources: own, log }));
  }
  const here = resources.filter((resource) => !elsewhere.has(idOf(resource)));
  const there = new Map([...elsewhere].map(([id, store]) => [id, caches.get(store)!]));
  return new WatchCache({ store: main, prefix, resources: here, log }, there);
}

/**
 * The field labels that the cache keeps for each stored resource: those that any of its versions accepts in field
 * selectors.
 */
function cachedResources({ schema, rules }: BuiltInKinds) {
  const labels = new Map<string, { group: string; plural: string; labels: Set<string> }>();
  for (const { resources } of schema.groupVersions) {
    for (const { storage, selectableFields: fields } of resources) {
      if (storage === undefined) continue;
      const id = storageId(storage.group, storage.plural);
      const entry = labels.get(id) ?? { group: storage.group, plural: storage.plural, labels: new Set<string>() };
      for (const field of fields) if (!field.startsWith('metadata.')) entry.labels.add(field);
      labels.set(id, entry);
    }
  }
  const own = [...labels].map(([id, { group, plural, labels: set }]) => {
    const extract = selectableFields([...set], rules.get(id) ?? { group, plural });
    return set.size === 0 ? { group, plural } : { group, plural, extract };
  });
  return [...own, WRITTEN_RELEASES, POLICY_MARKER];
}
