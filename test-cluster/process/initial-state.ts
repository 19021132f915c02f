import type { Revision } from '#storage/object-store.ts';
import type { EmbeddedStore } from '#storage-embedded/embedded-store.ts';

/** The largest number of attempts to restore. Other clients may write during a restore. */
const TRIES = 10;

/** A key in its saved state. */
interface Kept {
  readonly value: Buffer;
  /** The revision at which the key was last written with that value. */
  revision: Revision;
}

/** The state of a store at one moment, which can be restored. Revisions continue to grow. */
export class InitialState {
  readonly #store: EmbeddedStore;
  readonly #prefix: string;
  readonly #stays: (key: string) => boolean;
  readonly #kept: ReadonlyMap<string, Kept>;

  private constructor(
    store: EmbeddedStore,
    prefix: string,
    stays: (key: string) => boolean,
    kept: ReadonlyMap<string, Kept>,
  ) {
    this.#store = store;
    this.#prefix = prefix;
    this.#stays = stays;
    this.#kept = kept;
  }

  /**
   * The present state, without keys that have a time to live.
   *
   * @param stays returns whether a key is left unchanged when the state is restored
   */
  static async of(store: EmbeddedStore, prefix: string, stays: (key: string) => boolean): Promise<InitialState> {
    const kept = new Map<string, Kept>();
    for (const { key, value, revision } of (await store.list(prefix, {})).items)
      if (!stays(key) && (await store.leaseOf(key)) === undefined)
        kept.set(key, { value: Buffer.from(value), revision });
    return new InitialState(store, prefix, stays, kept);
  }

  /**
   * Restores the state, even for keys that are written in the meantime. Resolves to the number of objects that
   * differed.
   */
  async restore(): Promise<number> {
    let restored = 0;
    for (let tries = 0; tries < TRIES; tries++) {
      const changed = await this.#once();
      if (changed === 0) break;
      restored += changed;
    }
    return restored;
  }

  async #once(): Promise<number> {
    const present = new Map<string, Revision>();
    for (const { key, revision } of (await this.#store.list(this.#prefix, { keysOnly: true })).items)
      if (!this.#stays(key)) present.set(key, revision);
    const added = [...present].filter(([key]) => !this.#kept.has(key));
    const changed = [...this.#kept].filter(([key, { revision }]) => present.get(key) !== revision);
    // Objects that contain others are removed last and created first.
    const removals = added.sort(([a], [b]) => rank(a) - rank(b)).map(([key, at]) => this.#store.remove(key, at));
    const puts = changed
      .sort(([a], [b]) => rank(b) - rank(a))
      .map(async ([key, kept]) => {
        const outcome = await this.#put(key, kept.value, present.get(key));
        if (outcome !== undefined) kept.revision = outcome;
      });
    await Promise.all([...removals, ...puts]);
    return removals.length + puts.length;
  }

  /** The revision at which the key now has the value; undefined if another writer was faster. */
  async #put(key: string, value: Buffer, at: Revision | undefined): Promise<Revision | undefined> {
    if (at !== undefined && (await this.#store.get(key))?.value.equals(value)) return at;
    const result = at === undefined ? await this.#store.create(key, value) : await this.#store.update(key, at, value);
    return result.outcome === 'written' ? result.revision : undefined;
  }
}

/** The rank of a key. Definitions and namespaces contain other objects. */
function rank(key: string): number {
  if (key.includes('/customresourcedefinitions/')) return 2;
  return key.includes('/core/namespaces/') ? 1 : 0;
}
