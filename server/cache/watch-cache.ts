import type { JsonObject } from '#base/json/json-value.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import { readClocks } from '#base/time/two-clocks.ts';
import {
  type Batch,
  CompactedError,
  FutureRevisionError,
  type ObjectStore,
  type Revision,
} from '#storage-etcd/object-store.ts';
import { Applier } from './applier.ts';
import { type AppliedChange, ApplyListeners } from './apply-listeners.ts';
import { CachedResource } from './cached-resource.ts';
import { Backoff, FeedFollower } from './feed-follower.ts';
import { Freshness } from './freshness.ts';
import { Frontier } from './frontier.ts';
import { History, trimHistories } from './history.ts';
import { HistoryBackfills } from './history-backfills.ts';
import type { Item } from './item.ts';
import { loadResource, loadState } from './load-state.ts';
import { NotificationQueue } from './notification-queue.ts';
import { OwnWrites } from './own-writes.ts';
import { ParsedObjects } from './parsed-objects.ts';
import type { ResourceCache } from './resource-cache.ts';
import {
  type CacheLog,
  isCustomResource,
  ResourceEntries,
  type ResourceEntry,
  type ResourceSpec,
  resourceId,
  resourceIdOfKey,
} from './resource-entries.ts';
import { SealedValues } from './sealed-values.ts';
import { SortedItems } from './sorted-items.ts';
import { StoreHistory } from './store-history.ts';
import type { CacheStats, WatchCacheOptions } from './watch-cache-options.ts';

export type { AppliedChange } from './apply-listeners.ts';
export { NotCaughtUpError } from './freshness.ts';
export type { CacheLog, ResourceSpec } from './resource-entries.ts';
export type { CacheStats, WatchCacheOptions } from './watch-cache-options.ts';

/** Without readers, the frontier is confirmed this often, in milliseconds; checked every second. */
const CONFIRM_MS = 3500;

const SECOND_MS = 1000;

/** All objects of the store in memory, kept up to date by one feed. */
export class WatchCache {
  readonly #store: ObjectStore;
  readonly #prefix: string;
  readonly #elsewhere: ReadonlyMap<string, WatchCache>;
  /** Each of them once. */
  readonly #others: readonly WatchCache[];
  readonly #log: CacheLog;
  readonly #now: () => number;
  readonly #historyBytes: number;
  readonly #historySeconds: number;
  readonly #entries: ResourceEntries;
  readonly #notifications: NotificationQueue;
  readonly #frontier: Frontier;
  readonly #freshness: Freshness;
  readonly #follower: FeedFollower;
  readonly #parsed: ParsedObjects;
  readonly #own = new OwnWrites();
  readonly #storeHistory: StoreHistory;
  readonly #backfills: HistoryBackfills;
  readonly #sealed: SealedValues;
  readonly #stop = new AbortController();
  readonly #onRelist = new Set<() => void>();
  readonly #onApply: ApplyListeners;
  readonly #applier: Applier;
  /** Since when it is known of foreign resources without a entry that they have no objects. */
  #emptySince: Revision = 0;
  #timer: NodeJS.Timeout | undefined;
  #following: Promise<void> | undefined;
  #started = false;
  #ready = false;
  #generation = 0;
  #relists = 0;
  #wentBack = false;

  /** `elsewhere`: who has the resources that are in another store, by `resourceId`; started and stopped with this one. */
  constructor(options: WatchCacheOptions, elsewhere: ReadonlyMap<string, WatchCache> = new Map()) {
    this.#store = options.store;
    this.#prefix = `${options.prefix}/`;
    this.#elsewhere = elsewhere;
    this.#others = [...new Set(elsewhere.values())];
    this.#log = options.log;
    this.#now = options.clock ?? Date.now;
    this.#historyBytes = options.historyBytes ?? 32 << 20;
    this.#historySeconds = options.historySeconds ?? 300;
    this.#parsed = new ParsedObjects(options.parsedBytes ?? 16 << 20);
    this.#entries = new ResourceEntries(options.prefix, this.#log, (id) => this.#addCustom(id));
    this.#onApply = new ApplyListeners(this.#log);
    this.#applier = new Applier({
      entries: this.#entries,
      own: this.#own,
      parsed: this.#parsed,
      listeners: this.#onApply,
      second: () => this.#second(),
    });
    this.#storeHistory = new StoreHistory(this.#store);
    this.#backfills = new HistoryBackfills({
      store: this.#store,
      prefix: this.#prefix,
      entries: this.#entries,
      revisions: options.backfillRevisions ?? 10_000,
      bytes: this.#historyBytes,
      second: () => this.#second(),
      signal: this.#stop.signal,
      log: this.#log,
    });
    this.#sealed = new SealedValues(this.#store, this.#prefix, this.#entries);
    this.#notifications = new NotificationQueue((error) => this.#log.error({ err: error }, 'a subscriber failed'));
    this.#frontier = new Frontier(() => this.#follower.requestProgress());
    this.#follower = new FeedFollower({
      open: (signal) => {
        this.#storeHistory.doubt();
        return this.#store.feed(this.#prefix, this.frontier, { signal });
      },
      take: (batch) => this.#take(batch),
      recover: (reason) => this.#recover(reason),
      log: this.#log,
    });
    this.#freshness = new Freshness(this.#store, this.#frontier, {
      now: () => readClocks(this.#now),
      ready: () => this.#ready,
      generation: () => this.#generation,
      storeWentBack: () => this.#distrust(),
      following: (timeoutMs) => this.#follower.recovered(timeoutMs),
      fellBehind: () => this.#follower.reopen(),
    });
    for (const spec of options.resources) this.#addEntry(spec);
  }

  /** The revision that all resources show. */
  get frontier(): number {
    return this.#frontier.revision;
  }

  /** False until filled, and while the store's replacement is being listed: what is in memory then must not be served. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Grows whenever the cache was filled anew and all subscriptions ended. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * How long ago the probe began that last showed that nothing was missing, in milliseconds; less than 5 s while all is
   * well.
   */
  get unconfirmedMs(): number {
    return this.#freshness.unconfirmedMs;
  }

  get stats(): CacheStats {
    const sum = { items: 0, bytes: 0, history: 0, historyBytes: 0, subscriptions: 0 };
    for (const { resource } of this.#entries) {
      const stats = resource.stats;
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += stats[name];
    }
    let { bytes: parsedBytes } = this.#parsed;
    let relists = this.#relists;
    for (const { stats } of this.#others) {
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += stats[name];
      parsedBytes += stats.parsedBytes;
      relists += stats.relists;
    }
    return { ...sum, relists, parsedBytes };
  }

  /** Resolves when filled, or stopped; waits for a store that cannot be listed. */
  async start(): Promise<void> {
    await Promise.all([this.#start(), ...this.#others.map((other) => other.start())]);
  }

  async #start(): Promise<void> {
    this.#started = true;
    const backoff = new Backoff(this.#stop.signal);
    while (!this.#stop.signal.aborted) {
      try {
        await this.#fill(false);
        break;
      } catch (error) {
        this.#log.warn({ err: error }, 'the store cannot be listed yet');
        await backoff.wait();
      }
    }
    if (this.#stop.signal.aborted) return;
    this.#timer = setInterval(() => this.#tick(), SECOND_MS);
    this.#following = this.#follower.run(this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    clearInterval(this.#timer);
    this.#frontier.stop();
    await Promise.all([this.#following, ...this.#others.map((other) => other.stop())]);
  }

  /** Who has the objects of a resource: this one, but for those that are in another store. Versions are those of its store. */
  home(group: string, plural: string): WatchCache {
    return this.#elsewhere.get(resourceId(group, plural)) ?? this;
  }

  /** {@link home} of the object with an absolute key. */
  homeOfKey(key: string): WatchCache {
    if (this.#others.length === 0) return this;
    const id = resourceIdOfKey(key, this.#prefix.length);
    return (id === undefined ? undefined : this.#elsewhere.get(id)) ?? this;
  }

  /**
   * A resource named to the constructor or added, or any one of a group of others (see {@link isCustomResource}): these are
   * always cached. Throws on others: a programming error.
   */
  resource(group: string, plural: string): ResourceCache {
    const id = resourceId(group, plural);
    const elsewhere = this.#elsewhere.get(id);
    if (elsewhere !== undefined) return elsewhere.resource(group, plural);
    const entry = this.#entries.get(id);
    if (entry !== undefined) return entry.resource;
    if (!isCustomResource(id)) throw new Error(`${id} is not cached`);
    return this.#addCustom(id).resource;
  }

  /** All resources with their short groups and plurals. */
  get resources(): readonly (Pick<ResourceSpec, 'group' | 'plural'> & { readonly cache: ResourceCache })[] {
    const own = [...this.#entries].map(({ spec, resource }) => ({
      group: spec.group,
      plural: spec.plural,
      cache: resource,
    }));
    return [...own, ...this.#others.flatMap((other) => other.resources)];
  }

  /**
   * Caches one more resource; resolves when it shows the frontier's state, for whoever asks for it meanwhile too. Until
   * then it shows nothing. Those of groups of others need not be added. Throws StoreUnavailableError.
   */
  async addResource(spec: ResourceSpec): Promise<ResourceCache> {
    const id = resourceId(spec.group, spec.plural);
    const present = this.#entries.get(id);
    if (present !== undefined) {
      await present.filling;
      return present.resource;
    }
    if (isCustomResource(id)) return this.#addCustom(id).resource;
    const entry = this.#addEntry(spec);
    if (!this.#started) return entry.resource;
    entry.filling = this.#fillOne(entry).catch((error: unknown) => {
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
      throw error;
    });
    await entry.filling;
    return entry.resource;
  }

  /** Forgets a resource and ends its subscriptions. Of a group of others, objects that there still are stay in memory. */
  removeResource(group: string, plural: string): void {
    const entry = this.#entries.get(resourceId(group, plural));
    if (entry === undefined) return;
    if (isCustomResource(entry.id) && entry.resource.stats.items > 0) {
      entry.resource.endSubscriptions();
      return;
    }
    this.#entries.delete(entry.id);
    this.#backfills.delete(entry);
    // what changed before is forgotten with it
    if (isCustomResource(entry.id)) this.#emptySince = Math.max(this.#emptySince, this.#applier.applied);
    entry.resource.fill(new SortedItems(), new History(this.frontier));
  }

  /**
   * "Most recent": resolves to a revision at least the store's when this was called, which the cache has reached.
   * Throws NotCaughtUpError after 1 s (read from the store instead) and StoreUnavailableError.
   */
  fresh(): Promise<number> {
    return this.#freshness.fresh();
  }

  /** Whether the frontier reached the revision in that time (which is kept to about 50 ms). */
  waitFor(revision: number, timeoutMs: number): Promise<boolean> {
    return this.#frontier.waitFor(revision, timeoutMs);
  }

  /** The item's object without `kind` and `apiVersion`. Shared: callers must not change it. */
  parsed(item: Item): JsonObject {
    return this.#parsed.get(item);
  }

  /** As `parsed`, for walks over many items: they do not drive out what is used often. */
  parsedOnce(item: Item): JsonObject {
    return this.#parsed.once(item);
  }

  /**
   * This replica is about to write `value` under an absolute key: where the change comes back like that, its object is
   * read only when somebody asks for it. Returns what ends that.
   */
  expectOwn(key: string, value: Buffer): () => void {
    return this.#own.expect(key, value);
  }

  /**
   * Learns the changes after `since` where they came before the cache was filled, if the store still has them. Resolves
   * within 10 s, whatever came of it.
   */
  async backfill(since: Revision): Promise<void> {
    await this.#backfills.backfill(since);
    this.#trim();
  }

  /**
   * Reads what selectors see of all objects, in turns with other work: the cache is filled without, which takes a third
   * less time, and the first who asks should not have to wait for it. What cannot be read is dropped.
   */
  async readAhead(): Promise<void> {
    for (const other of this.#others) await other.readAhead();
    for (const { resource } of [...this.#entries]) {
      await resource.readAhead();
      if (this.#stop.signal.aborted) return;
    }
  }

  /**
   * Reads the values anew that could not be opened, for when they may: keys have changed, or who keeps them answers again.
   * Resolves when that is done, or was within a second. Rejects with what the store throws.
   */
  retrySealed(): Promise<void> {
    return this.#sealed.retry(async () => {
      for (const other of this.#others) await other.retrySealed();
    });
  }

  /** Called whenever the cache was filled anew. Returns what takes the callback back. */
  onRelist(callback: () => void): () => void {
    this.#onRelist.add(callback);
    return () => this.#onRelist.delete(callback);
  }

  /**
   * Calls back with each change right when it shows, before the frontier moves there: whoever waits for its revision finds
   * done what the listener does. What the cache is filled with anew is told by `onRelist` alone. Errors are logged.
   * Returns what takes the listener back.
   */
  onApply(listener: (change: AppliedChange) => void): () => void {
    const all = [this.#onApply.add(listener), ...this.#others.map((other) => other.onApply(listener))];
    return () => {
      for (const forget of all) forget();
    };
  }

  /** The entry of a foreign resource that nobody has met before: it has no objects. */
  #addCustom(id: string): ResourceEntry {
    const slash = id.indexOf('/');
    const entry = this.#addEntry({ group: id.slice(0, slash), plural: id.slice(slash + 1) });
    if (this.#generation > 0) this.#fillEmpty(entry);
    return entry;
  }

  #fillEmpty(entry: ResourceEntry): void {
    entry.pending = undefined;
    entry.resource.fill(new SortedItems(), new History(this.#emptySince));
  }

  #addEntry(spec: ResourceSpec): ResourceEntry {
    const frontier = this.#frontier;
    const resource = new CachedResource({
      get frontier() {
        return frontier.revision;
      },
      notify: (subscription) => this.#notifications.add(subscription),
      notifyAll: (subscriptions) => this.#notifications.addAll(subscriptions),
    });
    const id = resourceId(spec.group, spec.plural);
    const entry: ResourceEntry = { id, spec, resource, reader: this.#entries.reader(id, spec.extract), pending: [] };
    this.#entries.add(entry);
    return entry;
  }

  /** Replaces everything by what the store has now. `reuse`: it is the same store as before. */
  async #fill(reuse: boolean): Promise<void> {
    const at = readClocks(this.#now);
    const clusterId = await this.#store.clusterId();
    const state = await loadState({
      store: this.#store,
      prefix: this.#prefix,
      entries: this.#entries,
      reuse: reuse && this.#storeHistory.isOf(clusterId),
    });
    if (this.#stop.signal.aborted) return;
    this.#storeHistory.begin(clusterId, state.newest);
    this.#frontier.revision = state.revision;
    for (const [entry, items] of state.items) {
      entry.resource.fill(items, new History(state.revision));
      entry.pending = undefined;
    }
    this.#backfills.begin(state);
    this.#emptySince = state.revision;
    this.#applier.begin(state.revision);
    for (const entry of this.#entries)
      if (!state.items.has(entry) && isCustomResource(entry.id)) this.#fillEmpty(entry);
    if (this.#generation > 0) this.#relists++;
    this.#generation++;
    this.#wentBack = false;
    this.#ready = true;
    this.#freshness.confirm(at);
    for (const callback of this.#onRelist) callback();
    if (this.#relists > 0) void this.readAhead();
  }

  /** Lists a resource that was added while the feed was running, and catches up with what changed meanwhile. */
  async #fillOne(entry: ResourceEntry): Promise<void> {
    while (entry.pending !== undefined && !this.#stop.signal.aborted) {
      const generation = this.#generation;
      entry.pending = [];
      const { revision, items } = await loadResource(
        { store: this.#store, prefix: this.#prefix, entries: this.#entries },
        entry,
      );
      while (generation === this.#generation && this.frontier < revision && !this.#stop.signal.aborted) {
        await this.waitFor(revision, SECOND_MS);
      }
      // Where everything was filled anew meanwhile, this resource either was part of it or begins again.
      if (generation !== this.#generation || entry.pending === undefined) continue;
      const missed = entry.pending.filter((change) => change.revision > revision);
      entry.pending = undefined;
      entry.resource.fill(items, new History(revision));
      this.#backfills.add(entry, { revision, items: new Map([[entry, items]]) });
      for (const change of missed) this.#applier.apply(change);
    }
  }

  async #take({ changes, revision }: Batch): Promise<void> {
    if (!this.#storeHistory.isVerified) await this.#storeHistory.verify(this.frontier);
    const slice = new TimeSlice();
    let applied = this.frontier;
    for (const change of changes) {
      if (change.revision <= this.frontier) continue;
      // Between two revisions the state is one that was.
      if (change.revision > applied && slice.over) {
        this.#frontier.revision = applied;
        await slice.yield();
      }
      this.#applier.apply(change);
      applied = change.revision;
    }
    const newest = changes.at(-1);
    if (newest !== undefined && newest.revision > this.frontier) this.#storeHistory.goOn(newest);
    this.#trim();
    if (revision > this.frontier) this.#frontier.revision = revision;
    // after the subscribers, who were signalled for this turn
    setImmediate(() => this.#parsed.takeBack());
  }

  async #recover(reason: unknown): Promise<void> {
    if (
      !this.#wentBack &&
      (reason instanceof FutureRevisionError || (await this.#storeHistory.isAnother(this.frontier)))
    )
      this.#distrust();
    if (this.#wentBack) {
      this.#log.warn({ revision: this.frontier }, 'the store was restored or replaced; everything is listed anew');
      await this.#fill(false);
    } else if (reason instanceof CompactedError) {
      this.#log.warn({ revision: this.frontier }, 'the feed was compacted away; everything is listed anew');
      await this.#fill((await this.#storeHistory.isSame(this.frontier)) === true);
    }
  }

  /** What is in memory is not this store's. It stays until it can be replaced at once, but is no longer vouched for. */
  #distrust(): void {
    this.#wentBack = true;
    this.#ready = false;
    this.#freshness.distrust();
    this.#follower.reopen();
  }

  #trim(): void {
    let bytes = 0;
    for (const { resource } of this.#entries) bytes += resource.history.bytes;
    if (bytes <= this.#historyBytes) return;
    trimHistories(
      [...this.#entries].map(({ resource }) => resource.history),
      this.#historyBytes,
    );
  }

  #tick(): void {
    const oldest = this.#second() - this.#historySeconds;
    this.#backfills.dropBefore(oldest);
    for (const { resource } of this.#entries) {
      resource.history.trimToSecond(oldest);
      resource.endLost();
    }
    // A failure shows in `unconfirmedMs`.
    if (this.unconfirmedMs >= CONFIRM_MS) this.fresh().catch(() => {});
  }

  #second(): number {
    return Math.floor(this.#now() / SECOND_MS);
  }
}
