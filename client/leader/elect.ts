import { setTimeout as sleep } from 'node:timers/promises';
import { timerMs } from '#base/time/longest-timer.ts';
import type { Lease } from '#schema/generated/coordination.v1.ts';
import type { Client } from '../client.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../errors.ts';
import { coordinationV1 } from '../generated/resources.ts';
import type { ResourceClient } from '../resource-client.ts';
import { type Clock, forwardClock, Leadership } from './leadership.ts';

export interface ElectionOptions {
  readonly namespace: string;
  readonly name: string;
  /** The name of this instance. Each instance must have a different name, and a different one after a restart. */
  readonly identity: string;
  /** How long another instance waits before it takes a lease that is not renewed. 15 s by default. */
  readonly leaseDurationMs?: number;
  /** How long the leader acts without a renewal. It is shorter than the lease. 10 s by default. */
  readonly renewDeadlineMs?: number;
  /** The interval at which the leader renews the lease, and at which the other instances read it. 2 s by default. */
  readonly retryPeriodMs?: number;
  readonly clock?: Clock;
  /** Called when an instance has become the leader. It may be this instance. */
  readonly onLeader?: (identity: string) => void;
  readonly onError?: (error: unknown) => void;
}

/**
 * Takes part in the election until the signal aborts. While this instance leads, `lead` runs. It gets the leadership,
 * and the lease that this instance took. When the signal of the leadership aborts, `lead` must stop. It may clean up,
 * but it must not send requests. Then the instance takes part again. When `signal` aborts, the instance stops, waits
 * for `lead` and releases the lease, so that another instance can continue at once.
 *
 * @throws Error if the times of the options contradict each other
 * @example
 * const lease = { namespace: 'default', name: 'team-controller', identity: randomUUID() };
 * await standForElection(client, lease, async (leadership) => {
 *   const fenced = client.guarded(() => leadership.check(), leadership.signal);
 *   await work(fenced, leadership.signal);
 * }, signal);
 */
export async function standForElection(
  client: Client,
  options: ElectionOptions,
  lead: (leadership: Leadership, lease: Lease) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const candidate = new Candidate(client, options);
  while (!signal.aborted) {
    const acquired = await candidate.acquire(signal);
    if (acquired === undefined) return;
    const { leadership, lease } = acquired;
    // The signal ends the work, but not the lease. The lease is kept until the work has ended.
    const stop = () => leadership.end('asked to stop');
    const renewing = new AbortController();
    signal.addEventListener('abort', stop, { once: true });
    const renewals = candidate.keep(leadership, renewing.signal);
    try {
      await lead(leadership, lease);
    } catch (error) {
      options.onError?.(error);
    }
    signal.removeEventListener('abort', stop);
    renewing.abort();
    leadership.end('the work has ended');
    await renewals;
    await candidate.release();
  }
}

class Candidate {
  readonly #leases: ResourceClient<Lease>;
  readonly #options: ElectionOptions;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #renewMs: number;
  readonly #retryMs: number;
  /** The last known lease, and the time since which it has not changed. */
  #seen: { readonly lease: Lease; readonly at: number } | undefined;
  #knownLeader = '';
  #observing = false;
  #wake: (() => void) | undefined;

  constructor(client: Client, options: ElectionOptions) {
    this.#leases = client.resource(coordinationV1.leases).in(options.namespace);
    this.#options = options;
    this.#clock = options.clock ?? forwardClock();
    this.#leaseMs = options.leaseDurationMs ?? 15_000;
    this.#renewMs = options.renewDeadlineMs ?? 10_000;
    this.#retryMs = options.retryPeriodMs ?? 2_000;
    if (!(this.#leaseMs > this.#renewMs && this.#renewMs > this.#retryMs && this.#retryMs > 0))
      throw new Error('a lease must last longer than its renew deadline, and that longer than the retry period');
  }

  /** Waits until this instance leads. Undefined if the signal aborts first. */
  async acquire(signal: AbortSignal): Promise<{ leadership: Leadership; lease: Lease } | undefined> {
    const standing = new AbortController();
    const stop = () => standing.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      while (!signal.aborted) {
        const since = this.#clock();
        try {
          if (await this.#take(signal))
            return { leadership: new Leadership(this.#clock, since, this.#renewMs), lease: this.#seen!.lease };
        } catch (error) {
          if (!signal.aborted && !isConflict(error) && !isAlreadyExists(error)) this.#options.onError?.(error);
        }
        if (signal.aborted) break;
        if (!this.#observing) void this.#observe(standing.signal);
        await this.#chance(signal);
      }
      return undefined;
    } finally {
      signal.removeEventListener('abort', stop);
      standing.abort();
    }
  }

  /** Renews the lease until the signal aborts. The leadership ends if the renewal fails for too long. */
  async keep(leadership: Leadership, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(timerMs(this.#retryMs), undefined, { signal }).catch(() => {});
      if (signal.aborted || !this.#mayRenew(leadership)) return;
      const since = this.#clock();
      try {
        if (await this.#take(signal)) leadership.renewed(since);
        else leadership.end('another instance leads');
      } catch (error) {
        if (signal.aborted) return;
        // Another client wrote the lease. The next attempt reads it.
        this.#seen = undefined;
        this.#options.onError?.(error);
      }
    }
  }

  /** Releases the lease if this instance still holds it. */
  async release(): Promise<void> {
    const lease = this.#seen?.lease;
    if (lease?.spec?.holderIdentity !== this.#options.identity) return;
    const now = microTime();
    this.#seen = undefined;
    try {
      await this.#leases.update(
        {
          ...lease,
          spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now },
        },
        { timeoutMs: this.#retryMs },
      );
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) this.#options.onError?.(error);
    }
  }

  /** The lease of an ended leadership is kept while the work ends, unless it ended because the lease was lost. */
  #mayRenew(leadership: Leadership): boolean {
    return leadership.holds || this.#seen?.lease.spec?.holderIdentity === this.#options.identity;
  }

  /** Takes or renews the lease; false if another instance holds it. */
  async #take(signal: AbortSignal): Promise<boolean> {
    const { name, namespace, identity } = this.#options;
    // It uses at most half of the time, so that another attempt is possible.
    const call = { signal, timeoutMs: this.#renewMs / 2 };
    const held = this.#seen?.lease;
    // The leader writes the state that it knows. It reads the lease only after another client has written it.
    if (held?.spec?.holderIdentity === identity) {
      this.#saw(
        await this.#leases.update({ ...held, spec: { ...held.spec, ...this.#mine(), renewTime: microTime() } }, call),
      );
      return true;
    }
    let lease: Lease;
    try {
      lease = await this.#leases.get(name, call);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const now = microTime();
      const spec = { ...this.#mine(), acquireTime: now, renewTime: now, leaseTransitions: 0 };
      this.#saw(await this.#leases.create({ metadata: { name, namespace }, spec }, call));
      return true;
    }
    this.#saw(lease);
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder !== identity && holder !== '' && !this.#isOver()) return false;
    const now = microTime();
    const changed = holder !== identity;
    const transitions = (lease.spec?.leaseTransitions ?? 0) + (changed ? 1 : 0);
    const spec = {
      ...lease.spec,
      ...this.#mine(),
      acquireTime: changed ? now : (lease.spec?.acquireTime ?? now),
      renewTime: now,
      leaseTransitions: transitions,
    };
    this.#saw(await this.#leases.update({ ...lease, spec }, call));
    return true;
  }

  #mine() {
    return { holderIdentity: this.#options.identity, leaseDurationSeconds: Math.ceil(this.#leaseMs / 1000) };
  }

  /** Whether, by this instance's own clock, the lease has not changed for the duration that its holder set. */
  #isOver(): boolean {
    return this.#seen !== undefined && this.#clock() - this.#seen.at >= this.#lasts();
  }

  /** The duration of the lease in milliseconds, as set by the last known holder. */
  #lasts(): number {
    const seconds = this.#seen?.lease.spec?.leaseDurationSeconds;
    return typeof seconds === 'number' ? seconds * 1000 : this.#leaseMs;
  }

  #saw(lease: Lease): void {
    if (this.#seen?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion)
      this.#seen = { lease, at: this.#clock() };
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder === this.#knownLeader) return;
    this.#knownLeader = holder;
    if (holder !== '') this.#options.onLeader?.(holder);
  }

  /** Waits until the lease may be free: its holder has released it, or it has expired, or its state is unknown. */
  async #chance(signal: AbortSignal): Promise<void> {
    do {
      const untilOver = this.#observing && this.#seen !== undefined ? this.#seen.at + this.#lasts() - this.#clock() : 0;
      const ms = Math.max(untilOver, this.#retryMs * (1 + 0.2 * Math.random()));
      const woken = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => done(false), timerMs(ms));
        const done = (early: boolean) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
          this.#wake = undefined;
          resolve(early);
        };
        const stop = () => done(true);
        signal.addEventListener('abort', stop, { once: true });
        this.#wake = () => done(true);
      });
      if (woken) return;
    } while (this.#observing && this.#seen !== undefined && !this.#isOver());
  }

  /** Watches the lease. So this instance learns of renewals, and learns at once when the holder releases the lease. */
  async #observe(signal: AbortSignal): Promise<void> {
    this.#observing = true;
    try {
      const events = await this.#leases.watch({
        fieldSelector: `metadata.name=${this.#options.name}`,
        resourceVersion: this.#seen?.lease.metadata.resourceVersion,
        signal,
      });
      for await (const { type, object } of events) {
        if (type === 'BOOKMARK') continue;
        this.#saw(object);
        if (type === 'DELETED' || !object.spec?.holderIdentity) this.#wake?.();
      }
    } catch {
      // The server does not allow the watch, or the connection is lost. The lease is then read at intervals instead.
    } finally {
      this.#observing = false;
      // An immediate read of the lease only helps if the watch lasted for a while.
      if (!signal.aborted && this.#isOver()) this.#wake?.();
    }
  }
}

/** The times of leases have six digits after the second. */
function microTime(): string {
  return new Date().toISOString().replace(/Z$/, '000Z');
}
