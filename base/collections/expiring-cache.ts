import { type ClockReading, elapsed, readClocks } from '../time/two-clocks.ts';

/**
 * A cache of answers of remote servers. Each answer has its own lifetime. If there are too many, the oldest are
 * dropped.
 */
export class ExpiringCache<V> {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, { readonly value: V; readonly at: ClockReading; readonly ttlMs: number }>();

  constructor(limit: number, now: () => number = Date.now) {
    this.#limit = limit;
    this.#now = now;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (elapsed(entry.at, readClocks(this.#now)) < entry.ttlMs) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps a value for `ttlMs` milliseconds. With 0 or less it does not keep the value. */
  set(key: string, value: V, ttlMs: number): void {
    this.#entries.delete(key);
    if (ttlMs <= 0) return;
    this.#entries.set(key, { value, at: readClocks(this.#now), ttlMs });
    if (this.#entries.size > this.#limit) this.#entries.delete(this.#entries.keys().next().value as string);
  }
}
