import type { DataStore } from './data-store.ts';

/**
 * A store with some calls of its own. All else, such as whether it is full, is that of `store` at each moment.
 *
 * @example
 * const counted = decoratedStore(store, {
 *   get: (key, at) => {
 *     gets++;
 *     return store.get(key, at);
 *   },
 * });
 */
export function decoratedStore(store: DataStore, calls: Partial<DataStore>): DataStore {
  // With descriptors: a getter among the calls is asked each time.
  return Object.defineProperties(Object.create(store) as DataStore, Object.getOwnPropertyDescriptors(calls));
}
