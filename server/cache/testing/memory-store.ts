import {
  type Batch,
  type Change,
  type Changed,
  CompactedError,
  type Condition,
  type Exists,
  type Feed,
  FeedBrokenError,
  type FeedOptions,
  FutureRevisionError,
  type ObjectStore,
  type Page,
  type PageRequest,
  type Revision,
  type Stored,
  StoreUnavailableError,
  type TransactionChanged,
  ValueTooLargeError,
  type Write,
  type Written,
} from '#storage/object-store.ts';

/** The limits of etcd. */
const MAX_OPERATIONS = 128;
const MAX_BYTES = 1.5 * 1024 * 1024;

/** One state of a key. Without a value the key is deleted. */
interface Version {
  readonly revision: Revision;
  readonly value: Buffer | undefined;
  readonly createRevision: Revision;
}

/** An {@link ObjectStore} in memory with a history, for tests. The caller controls its faults. */
export class MemoryStore implements ObjectStore {
  /** The id of the cluster. */
  id = 'first';
  /** Whether calls fail with StoreUnavailableError. */
  down = false;
  /** Whether feeds deliver nothing, as with a blocked connection. */
  held = false;
  /** The number of requests for the current revision. */
  probes = 0;
  feeds = 0;
  #revision: Revision = 1;
  #compacted: Revision = 1;
  #keys = new Map<string, Version[]>();
  #log: Change[] = [];
  #sorted: string[] | undefined;
  readonly #open = new Set<OpenFeed>();

  get revision(): Revision {
    return this.#revision;
  }

  /** Writes without a condition. Undefined deletes the key. */
  put(key: string, value: string | undefined): Revision {
    return this.putAll([[key, value]]);
  }

  /** Writes several keys at one revision, like a lease that expires. */
  putAll(writes: readonly (readonly [string, string | undefined])[]): Revision {
    this.#commit(
      writes.map(([key, value]) => ({ key, ...(value === undefined ? {} : { value: Buffer.from(value) }) })),
    );
    return this.#revision;
  }

  /** Uses one revision, like a write outside the prefix of every store. */
  skipRevision(): void {
    this.#revision++;
  }

  compact(revision: Revision): void {
    this.#compacted = Math.max(this.#compacted, revision);
    this.#log = this.#log.filter((change) => change.revision > this.#compacted);
  }

  /** Ends all feeds, like a lost connection. */
  breakFeeds(): void {
    for (const feed of [...this.#open]) feed.fail(new FeedBrokenError('the connection was lost'));
  }

  /** Lets held feeds continue. */
  release(): void {
    this.held = false;
    for (const feed of this.#open) feed.notify();
  }

  /** Goes back to an older state, like a restored backup. Feeds stay connected and deliver nothing. */
  restore(revision: Revision, id = this.id): void {
    this.id = id;
    this.#revision = revision;
    this.#compacted = Math.min(this.#compacted, revision);
    this.#log = this.#log.filter((change) => change.revision <= revision);
    for (const [key, versions] of this.#keys) {
      this.#keys.set(
        key,
        versions.filter((version) => version.revision <= revision),
      );
    }
    this.#sorted = undefined;
  }

  async get(key: string, at?: Revision): Promise<Stored | undefined> {
    await this.#answer();
    return this.#read(key, this.#readable(at));
  }

  async list(prefix: string, { at, limit, after, keysOnly }: PageRequest): Promise<Page> {
    await this.#answer();
    const revision = this.#readable(at);
    this.#sorted ??= [...this.#keys.keys()].sort();
    const items: Stored[] = [];
    let remaining = 0;
    for (const key of this.#sorted) {
      if (!key.startsWith(prefix) || (after !== undefined && key <= after)) continue;
      const stored = this.#read(key, revision);
      if (stored === undefined) continue;
      if (limit !== undefined && limit > 0 && items.length >= limit) remaining++;
      else items.push(keysOnly ? { ...stored, value: Buffer.alloc(0) } : stored);
    }
    return { items, revision, remaining, more: remaining > 0 };
  }

  async count(prefix: string): Promise<number> {
    return (await this.list(prefix, { keysOnly: true })).items.length;
  }

  async create(key: string, value: Uint8Array, ttlSeconds?: number): Promise<Written | Exists> {
    const result = await this.transact([{ key, revision: 0 }], [put(key, value, ttlSeconds)]);
    return result.outcome === 'written' ? result : { outcome: 'exists', current: result.current[0]! };
  }

  async update(key: string, expected: Revision, value: Uint8Array, ttlSeconds?: number): Promise<Written | Changed> {
    const result = await this.transact([{ key, revision: expected }], [put(key, value, ttlSeconds)]);
    return result.outcome === 'written' ? result : { outcome: 'changed', current: result.current[0] };
  }

  async remove(key: string, expected: Revision): Promise<Written | Changed> {
    const result = await this.transact([{ key, revision: expected }], [{ key }]);
    return result.outcome === 'written' ? result : { outcome: 'changed', current: result.current[0] };
  }

  async transact(conditions: readonly Condition[], writes: readonly Write[]): Promise<Written | TransactionChanged> {
    if (Math.max(conditions.length, writes.length) > MAX_OPERATIONS) throw new RangeError('too many operations');
    const bytes = writes.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    if (bytes > MAX_BYTES) throw new ValueTooLargeError('the request is too large');
    await this.#answer();
    const current = conditions.map(({ key }) => this.#read(key, this.#revision));
    if (conditions.some(({ revision }, i) => (current[i]?.revision ?? 0) !== revision)) {
      return { outcome: 'changed', current };
    }
    this.#commit(writes);
    return { outcome: 'written', revision: this.#revision };
  }

  async currentRevision(): Promise<Revision> {
    this.probes++;
    await this.#answer();
    return this.#revision;
  }

  async oldestRevision(): Promise<Revision> {
    await this.#answer();
    return this.#compacted;
  }

  feed(prefix: string, after: Revision, options: FeedOptions): Feed {
    const open = new OpenFeed(this, prefix, after, options);
    this.feeds++;
    return {
      requestProgress: () => open.requestProgress(),
      [Symbol.asyncIterator]: () => {
        this.#open.add(open);
        return open.run(() => this.#open.delete(open));
      },
    };
  }

  async clusterId(): Promise<string> {
    await this.#answer();
    return this.id;
  }

  async close(): Promise<void> {}

  /** Changes after a revision, with the same checks as at the start of a feed. */
  changes(prefix: string, after: Revision, opening: boolean): Change[] {
    if (this.down) throw new FeedBrokenError('the store is down');
    if (opening && after > this.#revision) throw new FutureRevisionError();
    if (after < this.#compacted && this.#compacted > 1) throw new CompactedError(this.#compacted);
    let low = 0;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#log[middle]!.revision <= after) low = middle + 1;
      else high = middle;
    }
    return this.#log.slice(low).filter((change) => change.key.startsWith(prefix));
  }

  async #answer(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.down) throw new StoreUnavailableError('the store is down');
  }

  #readable(at: Revision | undefined): Revision {
    if (at === undefined) return this.#revision;
    if (at > this.#revision) throw new FutureRevisionError();
    if (at < this.#compacted) throw new CompactedError(this.#compacted);
    return at;
  }

  #read(key: string, at: Revision): Stored | undefined {
    const version = this.#keys.get(key)?.findLast(({ revision }) => revision <= at);
    return version?.value && { key, value: version.value, revision: version.revision };
  }

  #commit(writes: readonly Write[]): void {
    const revision = this.#revision + 1;
    const changes: Change[] = [];
    for (const { key, value, ttlSeconds } of writes) {
      const before = this.#keys.get(key)?.at(-1);
      const previous = before && this.#read(key, this.#revision);
      if (value === undefined && previous === undefined) continue;
      const createRevision = previous === undefined ? revision : before!.createRevision;
      const version: Version = { revision, value: value && Buffer.from(value), createRevision };
      const versions = this.#keys.get(key);
      if (versions === undefined) {
        this.#keys.set(key, [version]);
        this.#sorted = undefined;
      } else versions.push(version);
      changes.push({ key, revision, value: version.value, createRevision, previous });
      if (ttlSeconds !== undefined) {
        const expire = () => this.#keys.get(key)?.at(-1) === version && this.put(key, undefined);
        setTimeout(expire, ttlSeconds * 1000).unref();
      }
    }
    if (changes.length === 0) return;
    this.#revision = revision;
    this.#log.push(...changes);
    for (const feed of this.#open) feed.notify();
  }
}

function put(key: string, value: Uint8Array, ttlSeconds: number | undefined): Write {
  return ttlSeconds === undefined ? { key, value } : { key, value, ttlSeconds };
}

class OpenFeed {
  readonly #store: MemoryStore;
  readonly #prefix: string;
  readonly #options: FeedOptions;
  #position: Revision;
  #progress = false;
  #error: Error | undefined;
  #resume: (() => void) | undefined;

  constructor(store: MemoryStore, prefix: string, after: Revision, options: FeedOptions) {
    this.#store = store;
    this.#prefix = prefix;
    this.#position = after;
    this.#options = options;
  }

  notify(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  fail(error: Error): void {
    this.#error = error;
    this.notify();
  }

  requestProgress(): void {
    this.#progress = true;
    this.notify();
  }

  async *run(closed: () => void): AsyncGenerator<Batch, void, undefined> {
    const { signal, previous } = this.#options;
    const stop = () => this.notify();
    signal.addEventListener('abort', stop);
    try {
      for (let opening = true; ; opening = false) {
        if (signal.aborted) return;
        if (this.#error !== undefined) throw this.#error;
        // This feed reads the history from before the restore.
        const silent = this.#store.held || (!opening && this.#store.revision < this.#position);
        const found = silent ? [] : this.#store.changes(this.#prefix, this.#position, opening);
        if (found.length > 0) {
          this.#position = found.at(-1)!.revision;
          const changes = previous ? found : found.map((change) => ({ ...change, previous: undefined }));
          yield { changes, revision: this.#position };
        } else if (this.#progress && !silent) {
          this.#progress = false;
          this.#position = this.#store.revision;
          yield { changes: [], revision: this.#position };
        } else {
          await new Promise<void>((resolve) => {
            this.#resume = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
      closed();
    }
  }
}
