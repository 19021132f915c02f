import type { Revision } from '#storage/object-store.ts';
import { Endpoints } from './endpoints.ts';
import { Fence } from './fence.ts';
import type { KvClient } from './kv-client.ts';
import type { AnswerHeader } from './kv-messages.ts';
import { Leases } from './leases.ts';
import type { Settings } from './options.ts';
import { read } from './retry.ts';
import { Space } from './space.ts';

/** The age from which an observation is no longer recent. */
const RECENT_MS = 60_000;

/** The shared state of one store's operations. */
export class Connection {
  readonly settings: Settings;
  readonly endpoints: Endpoints;
  readonly leases: Leases;
  readonly fence: Fence;
  readonly space = new Space();
  #seen: Revision = 0;
  #seenAt = 0;

  constructor(settings: Settings) {
    this.settings = settings;
    this.endpoints = new Endpoints(settings);
    this.leases = new Leases(this.endpoints, settings);
    this.fence = new Fence(this.endpoints, this.leases, settings);
  }

  /** A read of keys or counts: repeated over the members. */
  read<T>(
    request: (kv: KvClient, timeoutMs: number) => Promise<T>,
    timeoutMs?: number,
    signal?: AbortSignal,
  ): Promise<T> {
    const { readTimeoutMs, unavailableAfterMs } = this.settings;
    return read(this.endpoints, { timeoutMs: timeoutMs ?? readTimeoutMs, unavailableAfterMs }, request, signal);
  }

  /** Notes the revision in an answer's header, and returns it. It may be lower than before: the store was restored. */
  see(header: AnswerHeader): Revision {
    this.#seen = header.revision;
    this.#seenAt = performance.now();
    return this.#seen;
  }

  /** Records a revision that a feed delivered. A feed that catches up delivers old revisions. */
  seeDelivered(revision: Revision): void {
    if (revision >= this.#seen) {
      this.#seen = revision;
      this.#seenAt = performance.now();
    }
  }

  /** A revision that the store had reached within the last minute; undefined if no answer is so recent. */
  get recentRevision(): Revision | undefined {
    return this.#seen > 0 && performance.now() - this.#seenAt < RECENT_MS ? this.#seen : undefined;
  }
}
