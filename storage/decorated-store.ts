import type { DataStore } from './data-store.ts';

/**
 * A store with some replaced calls. All other members, such as `full`, have the present values of `store`.
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
  // The descriptors are copied, so that a getter among the calls runs at each access.
  return Object.defineProperties(Object.create(store) as DataStore, Object.getOwnPropertyDescriptors(calls));
}
