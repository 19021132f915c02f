import type { ApiObject } from '#schema/objects/api-object.ts';

/** An object that is parsed at its first use. */
export interface Unread<T extends ApiObject = ApiObject> {
  /** Its selectable fields. */
  readonly fields: Readonly<Record<string, string>> | undefined;
  read(): T;
}

/**
 * A listener for every change of a resource. It gets the object's key (`namespace/name`, or `name`), the object after
 * the change (undefined for a deletion), and the object before it (undefined for a new object).
 */
export type ChangeListener<T extends ApiObject = ApiObject> = (
  key: string,
  after: Unread<T> | undefined,
  before: Unread<T> | undefined,
) => void;

/**
 * Stored objects for authentication and authorization. They are in the storage version, shared, and must not be
 * changed. Groups have their short form ('' is core). `namespace` is '' for cluster-wide kinds.
 */
export interface ObjectReader {
  /** The newest state that this replica knows. */
  get<T extends ApiObject>(group: string, plural: string, namespace: string, name: string): T | undefined;
  list<T extends ApiObject>(group: string, plural: string, namespace?: string): readonly T[];
  /**
   * Calls the listener once for each existing object before it returns, and then for every change, in order. Returns
   * the function that ends this.
   */
  onChange<T extends ApiObject>(group: string, plural: string, listener: ChangeListener<T>): () => void;
  /**
   * Makes the next reads as new as the store was at the time of the call.
   *
   * @throws StatusError (503) if this is not possible
   */
  confirm(): Promise<void>;
  /** `stale` if there has been no proof for 10 s that no change was missed. */
  freshness(): 'confirmed' | 'stale';
}

/** @throws StatusError (503) unless the cache was confirmed within the last 10 s, or can be confirmed now */
export async function ensureFresh(reader: ObjectReader): Promise<void> {
  if (reader.freshness() === 'stale') await reader.confirm();
}
