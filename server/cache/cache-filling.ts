import { TimeSlice } from '#base/time/time-slice.ts';
import { readClocks } from '#base/time/two-clocks.ts';
import {
  type Batch,
  CompactedError,
  FutureRevisionError,
  type ObjectStore,
  type Revision,
} from '#storage/object-store.ts';
import type { Applier } from './applier.ts';
import { CachedResource } from './cached-resource.ts';
import { Backoff, FeedFollower } from './feed-follower.ts';
import { Freshness } from './freshness.ts';
import { Frontier } from './frontier.ts';
import { History } from './history.ts';
import { HistoryBackfills } from './history-backfills.ts';
import type { HistoryLimits } from './history-limits.ts';
import { loadResource, loadState } from './load-state.ts';
import type { NotificationQueue } from './notification-queue.ts';
import {
  type CacheLog,
  isCustomResource,
  type ResourceEntries,
  type ResourceEntry,
  type ResourceSpec,
  resourceId,
} from './resource-entries.ts';
import { SortedItems } from './sorted-items.ts';
import { StoreHistory } from './store-history.ts';

const SECOND_MS = 1000;

/** The inputs of the filling. */
export interface FillingParts {
  readonly store: ObjectStore;
  /** The prefix of all keys, with a slash at the end. */
  readonly prefix: string;
  readonly entries: ResourceEntries;
  readonly applier: Applier;
  readonly notifications: NotificationQueue;
  readonly limits: HistoryLimits;
  /** The largest number of revisions before its start that the histories contain. */
  readonly backfillRevisions: number;
  /** The time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: CacheLog;
  /** Called after each batch of changes, when the cache shows them and its subscribers are queued. */
  readonly batchApplied: () => void;
  /** Called each time that everything has been listed, at the start and later. */
  readonly filled: () => void;
}

/**
 * Fills the resources of a cache from the store, and keeps them up to date with one feed. If the feed cannot continue,
 * because the store was restored or has compacted the missing changes, everything is listed again.
 */
export class CacheFilling {
  readonly frontier: Frontier;
  readonly freshness: Freshness;
  readonly backfills: HistoryBackfills;
  readonly #parts: FillingParts;
  readonly #follower: FeedFollower;
  readonly #storeHistory: StoreHistory;
  readonly #stop = new AbortController();
  /** Custom resources without an entry have had no objects since this revision. */
  #emptySince: Revision = 0;
  #following: Promise<void> | undefined;
  #started = false;
  #ready = false;
  #generation = 0;
  #wentBack = false;

  constructor(parts: FillingParts) {
    this.#parts = parts;
    const { store, prefix, entries, limits, log, now } = parts;
    this.#storeHistory = new StoreHistory(store);
    this.backfills = new HistoryBackfills({
      store,
      prefix,
      entries,
      revisions: parts.backfillRevisions,
      bytes: limits.bytes,
      second: () => Math.floor(now() / SECOND_MS),
      signal: this.#stop.signal,
      log,
    });
    this.frontier = new Frontier(() => this.#follower.requestProgress());
    this.#follower = new FeedFollower({
      open: (signal) => {
        this.#storeHistory.doubt();
        return store.feed(prefix, this.frontier.revision, { signal });
      },
      take: (batch) => this.#take(batch),
      recover: (reason) => this.#recover(reason),
      log,
    });
    this.freshness = new Freshness(store, this.frontier, {
      now: () => readClocks(now),
      ready: () => this.#ready,
      generation: () => this.#generation,
      storeWentBack: () => this.#distrust(),
      following: (timeoutMs) => this.#follower.recovered(timeoutMs),
      fellBehind: () => this.#follower.reopen(),
    });
  }

  /**
   * False until the cache is filled, and while it lists a replaced store. The server must not answer from it during
   * these times.
   */
  get ready(): boolean {
    return this.#ready;
  }

  /** How many times everything has been listed. All subscriptions ended each time. */
  get generation(): number {
    return this.#generation;
  }

  get stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Resolves when the cache is filled or stopped. If the store cannot be listed, it waits for the store. */
  async start(): Promise<void> {
    this.#started = true;
    const backoff = new Backoff(this.#stop.signal);
    while (!this.stopped) {
      try {
        await this.#fill(false);
        break;
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'the store cannot be listed yet');
        await backoff.wait();
      }
    }
    if (!this.stopped) this.#following = this.#follower.run(this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.frontier.stop();
    await this.#following;
  }

  /** The entry of a resource that is not filled yet. */
  addEntry(spec: ResourceSpec): ResourceEntry {
    const { entries, notifications } = this.#parts;
    const { frontier } = this;
    const resource = new CachedResource({
      get frontier() {
        return frontier.revision;
      },
      notify: (subscription) => notifications.add(subscription),
      notifyGroup: (subscriptions, revision) => notifications.addGroup(subscriptions, revision),
    });
    const id = resourceId(spec.group, spec.plural);
    const entry: ResourceEntry = { id, spec, resource, reader: entries.reader(id, spec.extract), pending: [] };
    entries.add(entry);
    return entry;
  }

  /** The entry of a custom resource without an entry. The resource has no objects. */
  addCustom(id: string): ResourceEntry {
    const slash = id.indexOf('/');
    const entry = this.addEntry({ group: id.slice(0, slash), plural: id.slice(slash + 1) });
    if (this.#generation > 0) this.#fillEmpty(entry);
    return entry;
  }

  /**
   * Fills the entry of a resource that is added while the server runs. Before the start it does nothing.
   *
   * @throws StoreUnavailableError
   */
  async fillEntry(entry: ResourceEntry): Promise<void> {
    if (!this.#started) return;
    const { entries } = this.#parts;
    entry.filling = this.#fillOne(entry).catch((error: unknown) => {
      if (entries.get(entry.id) === entry) entries.delete(entry.id);
      throw error;
    });
    await entry.filling;
  }

  /** Removes a resource with its history, and ends its subscriptions. */
  removeEntry(entry: ResourceEntry): void {
    const { entries, applier } = this.#parts;
    entries.delete(entry.id);
    this.backfills.delete(entry);
    if (isCustomResource(entry.id)) this.#emptySince = Math.max(this.#emptySince, applier.applied);
    entry.resource.fill(new SortedItems(), new History(this.frontier.revision));
  }

  #fillEmpty(entry: ResourceEntry): void {
    entry.pending = undefined;
    entry.resource.fill(new SortedItems(), new History(this.#emptySince));
  }

  /** Replaces everything with the present objects of the store. `reuse` means that the store is the same as before. */
  async #fill(reuse: boolean): Promise<void> {
    const { store, prefix, entries, applier, now } = this.#parts;
    const at = readClocks(now);
    const clusterId = await store.clusterId();
    const state = await loadState({ store, prefix, entries, reuse: reuse && this.#storeHistory.isOf(clusterId) });
    if (this.stopped) return;
    this.#storeHistory.begin(clusterId, state.newest);
    this.frontier.revision = state.revision;
    for (const [entry, items] of state.items) {
      entry.resource.fill(items, new History(state.revision));
      entry.pending = undefined;
    }
    this.backfills.begin(state);
    this.#emptySince = state.revision;
    applier.begin(state.revision);
    for (const entry of entries) if (!state.items.has(entry) && isCustomResource(entry.id)) this.#fillEmpty(entry);
    this.#generation++;
    this.#wentBack = false;
    this.#ready = true;
    this.freshness.confirm(at);
    this.#parts.filled();
  }

  /**
   * Lists a resource that was added while the feed was running, and applies the changes that arrived in the meantime.
   */
  async #fillOne(entry: ResourceEntry): Promise<void> {
    const { frontier } = this;
    while (entry.pending !== undefined && !this.stopped) {
      const generation = this.#generation;
      entry.pending = [];
      const { revision, items } = await loadResource(this.#parts, entry);
      while (generation === this.#generation && frontier.revision < revision && !this.stopped) {
        await frontier.waitFor(revision, SECOND_MS);
      }
      // If everything was listed again in the meantime, this resource was part of it or starts again.
      if (generation !== this.#generation || entry.pending === undefined) continue;
      const missed = entry.pending.filter((change) => change.revision > revision);
      entry.pending = undefined;
      entry.resource.fill(items, new History(revision));
      this.backfills.add(entry, { revision, items: new Map([[entry, items]]) });
      for (const change of missed) this.#parts.applier.apply(change);
    }
  }

  async #take({ changes, revision }: Batch): Promise<void> {
    const { frontier } = this;
    if (!this.#storeHistory.isVerified) await this.#storeHistory.verify(frontier.revision);
    const slice = new TimeSlice();
    let applied = frontier.revision;
    for (const change of changes) {
      if (change.revision <= frontier.revision) continue;
      // Readers may see the state between two revisions, because the store had it. They must not see a state within one
      // revision.
      if (change.revision > applied && slice.over) {
        frontier.revision = applied;
        await slice.yield();
      }
      this.#parts.applier.apply(change);
      applied = change.revision;
    }
    const newest = changes.at(-1);
    if (newest !== undefined && newest.revision > frontier.revision) this.#storeHistory.goOn(newest);
    this.#parts.limits.trimBytes();
    if (revision > frontier.revision) frontier.revision = revision;
    this.#parts.batchApplied();
  }

  async #recover(reason: unknown): Promise<void> {
    const { log } = this.#parts;
    const { revision } = this.frontier;
    if (
      !this.#wentBack &&
      (reason instanceof FutureRevisionError || (await this.#storeHistory.isAnother(this.frontier.revision)))
    )
      this.#distrust();
    if (this.#wentBack) {
      log.warn({ revision }, 'the store was restored or replaced; the cache lists all objects again');
      await this.#fill(false);
    } else if (reason instanceof CompactedError) {
      log.warn({ revision }, "the store has compacted the feed's revision; the cache lists all objects again");
      await this.#fill((await this.#storeHistory.isSame(this.frontier.revision)) === true);
    }
  }

  /**
   * Called when the objects in memory belong to another store. They stay until the cache can replace them all at once,
   * but they are unconfirmed.
   */
  #distrust(): void {
    this.#wentBack = true;
    this.#ready = false;
    this.freshness.distrust();
    this.#follower.reopen();
  }
}
