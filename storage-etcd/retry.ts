import { setTimeout as sleep } from 'node:timers/promises';
import { timerMs } from '#base/time/longest-timer.ts';
import { StoreUnavailableError } from '#storage/object-store.ts';
import type { Endpoint } from './endpoint.ts';
import type { Endpoints } from './endpoints.ts';
import { failureOf } from './failure.ts';
import type { KvClient } from './kv-client.ts';

/** Counts the attempts of one request and decides when to give up. */
export class Attempts {
  readonly #endpoints: Endpoints;
  readonly #giveUpAt: number;
  #made = 0;

  constructor(endpoints: Endpoints, unavailableAfterMs: number) {
    this.#endpoints = endpoints;
    this.#giveUpAt = performance.now() + unavailableAfterMs;
  }

  /**
   * Handles a failed attempt. Returns when the next attempt is due. The next attempt uses another member if there is
   * one.
   *
   * @throws StoreUnavailableError if every member was tried and the time has passed
   */
  async next(failed: Endpoint, message: string): Promise<void> {
    this.#endpoints.failed(failed);
    this.#made += 1;
    const rounds = Math.floor(this.#made / this.#endpoints.size);
    if (rounds === 0) return;
    if (performance.now() >= this.#giveUpAt) {
      throw new StoreUnavailableError(`etcd does not answer: ${message}`);
    }
    if (this.#made % this.#endpoints.size === 0) await sleep(timerMs(Math.min(25 * 2 ** (rounds - 1), 200)));
  }
}

/**
 * A read that is repeated over the members until one of them answers or the signal aborts it.
 *
 * @throws StoreUnavailableError, or the error with which etcd refused the read
 */
export async function read<T>(
  endpoints: Endpoints,
  limits: { readonly timeoutMs: number; readonly unavailableAfterMs: number },
  request: (kv: KvClient, timeoutMs: number) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  let attempts: Attempts | undefined;
  for (;;) {
    if (signal?.aborted) throw new StoreUnavailableError('the caller gave it up');
    const endpoint = endpoints.current();
    try {
      return await request(endpoint.kv, limits.timeoutMs);
    } catch (error) {
      if (signal?.aborted) continue;
      const failure = failureOf(error);
      if (failure.kind === 'refused') throw failure.error;
      attempts ??= new Attempts(endpoints, limits.unavailableAfterMs);
      await attempts.next(endpoint, failure.message);
    }
  }
}
