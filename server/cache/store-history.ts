import {
  type Change,
  CompactedError,
  FutureRevisionError,
  type ObjectStore,
  type Revision,
  type Stored,
} from '#storage/object-store.ts';

/** A change that the store reported. Without a value it is a deletion. */
type Reported = Pick<Change, 'key' | 'revision' | 'value'>;

/**
 * Checks whether the store still has the history that led to the state in memory, or was restored or replaced in the
 * meantime.
 */
export class StoreHistory {
  readonly #store: ObjectStore;
  #clusterId = '';
  /** The last change up to the frontier. */
  #newest: Reported | undefined;
  #isVerified = true;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Whether the cache shows the store with this id. */
  isOf(clusterId: string): boolean {
    return clusterId === this.#clusterId;
  }

  /** Records that the cache now shows this store, and that this was its last change. */
  begin(clusterId: string, newest: Reported | undefined): void {
    this.#clusterId = clusterId;
    this.#newest = newest;
  }

  /** Records that the frontier moves past this change. */
  goOn(newest: Reported): void {
    this.#newest = newest;
  }

  /** Records that the feed was opened again. The store may have been restored since the last check. */
  doubt(): void {
    this.#isVerified = false;
  }

  get isVerified(): boolean {
    return this.#isVerified;
  }

  /**
   * Checks that the store has the same history, unless this is certain.
   *
   * @throws FutureRevisionError if the store has another history, and StoreUnavailableError
   */
  async verify(frontier: Revision): Promise<void> {
    if ((await this.isSame(frontier)) === false) throw new FutureRevisionError();
    this.#isVerified = true;
  }

  /**
   * Whether the store is another one, or has a different or a shorter history.
   *
   * @throws StoreUnavailableError
   */
  async isAnother(frontier: Revision): Promise<boolean> {
    const revision: Revision = await this.#store.currentRevision();
    if (revision < frontier || !this.isOf(await this.#store.clusterId())) return true;
    return (await this.isSame(frontier)) === false;
  }

  /**
   * Whether the store's history led to the state in memory. The store must still have the last change before the
   * frontier, as the cache received it. A restored store may have the same id and a later revision. Undefined if the
   * store no longer has enough history for a decision.
   *
   * @throws StoreUnavailableError
   */
  async isSame(frontier: Revision): Promise<boolean | undefined> {
    const newest = this.#newest;
    if (newest === undefined) return true;
    const { key, revision, value } = newest;
    const isSeen = (found: Stored | undefined): boolean =>
      value === undefined
        ? found === undefined
        : found !== undefined && found.revision === revision && found.value.equals(value);
    try {
      return isSeen(await this.#store.get(key, frontier));
    } catch (error) {
      if (error instanceof FutureRevisionError) return false;
      if (!(error instanceof CompactedError)) throw error;
    }
    return value !== undefined && isSeen(await this.#store.get(key)) ? true : undefined;
  }
}
