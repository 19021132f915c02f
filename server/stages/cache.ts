import type { Logger } from 'pino';
import type { ObjectStore } from '../../storage-etcd/object-store.ts';
import { storageId } from '../api/resource-set.ts';
import { selectableFields } from '../api/selectable-fields.ts';
import { WatchCache } from '../cache/watch-cache.ts';
import type { BuiltInKinds } from './built-in-kinds.ts';

/**
 * The second stage: the cache of everything that is stored, empty until its `start`; its `stop` ends the feed. Whoever
 * reads from it may be made before it is filled.
 */
export function createCache(kinds: BuiltInKinds, store: ObjectStore, prefix: string, log: Logger): WatchCache {
  return new WatchCache({ store, prefix, resources: cachedResources(kinds), log });
}

/** What the cache keeps of each stored resource: the labels that any of its versions accepts in field selectors. */
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
  return [...labels].map(([id, { group, plural, labels: set }]) => {
    const extract = selectableFields([...set], rules.get(id) ?? { group, plural });
    return set.size === 0 ? { group, plural } : { group, plural, extract };
  });
}
