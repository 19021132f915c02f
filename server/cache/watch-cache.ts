import type { JsonObject } from '#base/json/json-value.ts';
import type { Revision } from '#storage/object-store.ts';
import { Applier } from './applier.ts';
import { type AppliedChange, ApplyListeners } from './apply-listeners.ts';
import { CacheFilling } from './cache-filling.ts';
import { HistoryLimits } from './history-limits.ts';
import type { FieldExtractor, Item } from './item.ts';
import { NotificationQueue } from './notification-queue.ts';
import { OtherStores } from './other-stores.ts';
import { OwnWrites } from './own-writes.ts';
import { ParsedObjects } from './parsed-objects.ts';
import type { ResourceCache } from './resource-cache.ts';
import { isCustomResource, ResourceEntries, type ResourceSpec, resourceId } from './resource-entries.ts';
import { SealedValues } from './sealed-values.ts';
import type { CacheStats, WatchCacheOptions } from './watch-cache-options.ts';

export type { AppliedChange } from './apply-listeners.ts';
export { NotCaughtUpError } from './freshness.ts';
export type { CacheLog, ResourceSpec } from './resource-entries.ts';
export type { CacheStats, WatchCacheOptions } from './watch-cache-options.ts';

/**
 * The interval in milliseconds at which the frontier is confirmed if no reader does it. The cache checks every second
 * whether a confirmation is due.
 */
const CONFIRM_MS = 3500;

const SECOND_MS = 1000;

/**
 * All objects of the store in memory, kept up to date by one feed. {@link CacheFilling} fills it; {@link ResourceCache}
 * shows single resources.
 */
export class WatchCache {
  readonly #others: OtherStores<WatchCache>;
  /** The length of the prefix of all keys, with its slash. */
  readonly #base: number;
  readonly #now: () => number;
  readonly #entries: ResourceEntries;
  readonly #filling: CacheFilling;
  readonly #limits: HistoryLimits;
  readonly #notifications: NotificationQueue;
  readonly #parsed: ParsedObjects;
  readonly #own = new OwnWrites();
  readonly #sealed: SealedValues;
  readonly #onRelist = new Set<() => void>();
  readonly #onApply: ApplyListeners;
  #timer: NodeJS.Timeout | undefined;

  /** @param elsewhere the caches of resources in other stores, by `resourceId`; they start and stop with this one */
  constructor(options: WatchCacheOptions, elsewhere: ReadonlyMap<string, WatchCache> = new Map()) {
    const { store, log, clock = Date.now } = options;
    const prefix = `${options.prefix}/`;
    this.#others = new OtherStores(elsewhere);
    this.#base = prefix.length;
    this.#now = clock;
    this.#parsed = new ParsedObjects(options.parsedBytes ?? 16 << 20);
    this.#entries = new ResourceEntries(options.prefix, log, (id) => this.#filling.addCustom(id));
    this.#onApply = new ApplyListeners(log);
    this.#notifications = new NotificationQueue((error) => log.error({ err: error }, 'a subscriber failed'));
    this.#sealed = new SealedValues(store, prefix, this.#entries);
    this.#limits = new HistoryLimits({
      entries: this.#entries,
      bytes: options.historyBytes ?? 32 << 20,
      seconds: options.historySeconds ?? 300,
    });
    this.#filling = new CacheFilling({
      store,
      prefix,
      entries: this.#entries,
      applier: new Applier({
        entries: this.#entries,
        own: this.#own,
        parsed: this.#parsed,
        listeners: this.#onApply,
        second: () => this.#second(),
      }),
      notifications: this.#notifications,
      limits: this.#limits,
      backfillRevisions: options.backfillRevisions ?? 10_000,
      now: clock,
      log,
      // This runs after the subscribers, because these are queued for the current turn.
      batchApplied: () => setImmediate(() => this.#parsed.takeBack()),
      filled: () => this.#filled(),
    });
    for (const spec of options.resources) this.#filling.addEntry(spec);
  }

  /** The revision that all resources show. */
  get frontier(): number {
    return this.#filling.frontier.revision;
  }

  /**
   * False until the cache is filled, and while it lists a replaced store. The server must not answer from it during
   * these times.
   */
  get ready(): boolean {
    return this.#filling.ready;
  }

  /** A number that grows each time that the cache has listed everything again and ended all subscriptions. */
  get generation(): number {
    return this.#filling.generation;
  }

  /**
   * How long ago the last probe began that showed a complete cache, in milliseconds. In normal operation it is less
   * than 5 s.
   */
  get unconfirmedMs(): number {
    return this.#filling.freshness.unconfirmedMs;
  }

  /** Sums over all resources, also those in other stores. */
  get stats(): CacheStats {
    const sum = { items: 0, bytes: 0, history: 0, historyBytes: 0, subscriptions: 0 };
    for (const { resource } of this.#entries) {
      const stats = resource.stats;
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += stats[name];
    }
    let { bytes: parsedBytes } = this.#parsed;
    let relists = Math.max(0, this.generation - 1);
    for (const { stats } of this.#others.caches) {
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += stats[name];
      parsedBytes += stats.parsedBytes;
      relists += stats.relists;
    }
    return { ...sum, relists, parsedBytes };
  }

  /** Resolves when the cache is filled or stopped. If the store cannot be listed, it waits for the store. */
  async start(): Promise<void> {
    await Promise.all([this.#start(), ...this.#others.caches.map((other) => other.start())]);
  }

  async #start(): Promise<void> {
    await this.#filling.start();
    if (!this.#filling.stopped) this.#timer = setInterval(() => this.#tick(), SECOND_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#filling.stop(), ...this.#others.caches.map((other) => other.stop())]);
  }

  /** Drops all histories. Requests for earlier states then read from the store. */
  forgetHistory(): void {
    this.#limits.forget(this.frontier);
    for (const other of this.#others.caches) other.forgetHistory();
  }

  /**
   * The cache that has the objects of a resource. It is this cache, unless the resource is in another store. Revisions
   * are those of that store.
   */
  home(group: string, plural: string): WatchCache {
    return this.#others.cacheOf(group, plural) ?? this;
  }

  /** Like {@link home}, for the object with an absolute key. */
  homeOfKey(key: string): WatchCache {
    return this.#others.cacheOfKey(key, this.#base) ?? this;
  }

  /**
   * The cache of a resource that was named to the constructor or added, or of any custom resource (see
   * {@link isCustomResource}). Custom resources are always cached.
   *
   * @throws Error for another resource, which is a programming error
   */
  resource(group: string, plural: string): ResourceCache {
    const elsewhere = this.#others.cacheOf(group, plural);
    if (elsewhere !== undefined) return elsewhere.resource(group, plural);
    const id = resourceId(group, plural);
    const entry = this.#entries.get(id);
    if (entry !== undefined) return entry.resource;
    if (!isCustomResource(id)) throw new Error(`${id} is not cached`);
    return this.#filling.addCustom(id).resource;
  }

  /** Sets the selectable fields of a custom resource: `extract` reads the fields with these labels. */
  selectBy(group: string, plural: string, labels: readonly string[], extract: FieldExtractor): void {
    const elsewhere = this.#others.cacheOf(group, plural);
    if (elsewhere !== undefined) elsewhere.selectBy(group, plural, labels, extract);
    else this.#entries.selectBy(resourceId(group, plural), labels, extract);
  }

  /** All resources with their short groups and plurals. */
  get resources(): readonly (Pick<ResourceSpec, 'group' | 'plural'> & { readonly cache: ResourceCache })[] {
    const own = [...this.#entries].map(({ spec, resource }) => ({
      group: spec.group,
      plural: spec.plural,
      cache: resource,
    }));
    return [...own, ...this.#others.caches.flatMap((other) => other.resources)];
  }

  /**
   * Caches one more resource. Resolves when it shows the state at the frontier. Other callers that add it at the same
   * time wait too. Until then it shows nothing. Custom resources need not be added.
   *
   * @throws StoreUnavailableError
   */
  async addResource(spec: ResourceSpec): Promise<ResourceCache> {
    const id = resourceId(spec.group, spec.plural);
    const present = this.#entries.get(id);
    if (present !== undefined) {
      await present.filling;
      return present.resource;
    }
    if (isCustomResource(id)) return this.#filling.addCustom(id).resource;
    const entry = this.#filling.addEntry(spec);
    await this.#filling.fillEntry(entry);
    return entry.resource;
  }

  /**
   * Removes a resource and ends its subscriptions. Objects of a custom resource stay in memory while the store has
   * them.
   */
  removeResource(group: string, plural: string): void {
    const entry = this.#entries.get(resourceId(group, plural));
    if (entry === undefined) return;
    if (isCustomResource(entry.id) && entry.resource.stats.items > 0) entry.resource.endSubscriptions();
    else this.#filling.removeEntry(entry);
  }

  /**
   * Makes a read "most recent". Resolves to a revision that the cache has reached. It is at least the revision that the
   * store had at the call.
   *
   * @throws NotCaughtUpError after 1 s (the caller reads from the store instead), and StoreUnavailableError
   */
  fresh(): Promise<number> {
    return this.#filling.freshness.fresh();
  }

  /** Resolves to whether the frontier reached the revision in that time (exact to about 50 ms). */
  waitFor(revision: number, timeoutMs: number): Promise<boolean> {
    return this.#filling.frontier.waitFor(revision, timeoutMs);
  }

  /**
   * Resolves when this cache shows the change with that revision and its watchers have been notified. A client that
   * gets the answer to its write then also has the event, or gets it directly afterwards. Waits for the change no
   * longer than `timeoutMs`, and for watchers no longer than one slice of their turn.
   */
  async delivered(revision: number, timeoutMs: number): Promise<void> {
    if (this.frontier < revision && !(await this.waitFor(revision, timeoutMs))) return;
    const notified = this.#notifications.notified(revision);
    if (notified !== undefined) await notified;
  }

  /** The item's object without `kind` and `apiVersion`. It is shared, so callers must not change it. */
  parsed(item: Item): JsonObject {
    return this.#parsed.get(item);
  }

  /** Like `parsed`, for a walk over many items. The walk does not push other objects out of memory. */
  parsedOnce(item: Item): JsonObject {
    return this.#parsed.once(item);
  }

  /**
   * Announces that this replica is about to write `value` under an absolute key. If the feed brings exactly these
   * bytes, the cache parses the object only at its first use. Returns the function that ends the announcement.
   */
  expectOwn(key: string, value: Buffer): () => void {
    return this.#own.expect(key, value);
  }

  /**
   * Reads the changes between `since` and the filling of the cache into the histories, if the store still has them.
   * Resolves within 10 s in any case.
   */
  async backfill(since: Revision): Promise<void> {
    await this.#filling.backfills.backfill(since);
    this.#limits.trimBytes();
  }

  /**
   * Parses the selectable values of all objects, with pauses for other work. The filling of the cache leaves this out,
   * which makes it a third faster. Without this call, the first client with a selector would wait for the parsing.
   * Drops objects that cannot be read.
   */
  async readAhead(): Promise<void> {
    for (const other of this.#others.caches) await other.readAhead();
    for (const { resource } of [...this.#entries]) {
      await resource.readAhead();
      if (this.#filling.stopped) return;
    }
  }

  /**
   * Reads the values again that the cache could not decrypt. A caller does this when encryption keys have changed, or
   * when the key service answers again. The promise resolves when the values have been read. It resolves at once if the
   * last attempt ended less than a second ago.
   *
   * @throws the errors of the store
   */
  retrySealed(): Promise<void> {
    return this.#sealed.retry(async () => {
      for (const other of this.#others.caches) await other.retrySealed();
    });
  }

  /**
   * Calls the listener each time that the cache has listed everything. Returns the function that removes the listener.
   */
  onRelist(callback: () => void): () => void {
    this.#onRelist.add(callback);
    return () => this.#onRelist.delete(callback);
  }

  /**
   * Calls the listener with each change as soon as the change is visible, before the frontier moves to it. So a caller
   * that waits for the revision can rely on the listener's work. Objects that the cache lists again are reported only
   * by `onRelist`. Errors of listeners are logged. Returns the function that removes the listener.
   */
  onApply(listener: (change: AppliedChange) => void): () => void {
    const removals = [this.#onApply.add(listener), ...this.#others.caches.map((other) => other.onApply(listener))];
    return () => {
      for (const remove of removals) remove();
    };
  }

  #filled(): void {
    for (const callback of this.#onRelist) callback();
    if (this.generation > 1) void this.readAhead();
  }

  #tick(): void {
    this.#filling.backfills.dropBefore(this.#limits.trimAge(this.#second()));
    // A failure shows in `unconfirmedMs`.
    if (this.unconfirmedMs >= CONFIRM_MS) this.fresh().catch(() => {});
  }

  #second(): number {
    return Math.floor(this.#now() / SECOND_MS);
  }
}
