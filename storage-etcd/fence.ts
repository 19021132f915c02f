import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OutcomeUnknownError, type Revision, StoreFullError } from '#storage/object-store.ts';
import type { Endpoints } from './endpoints.ts';
import { failureOf, LeaseLostError } from './failure.ts';
import { keyBytes } from './keys.ts';
import type { KvClient } from './kv-client.ts';
import { type Compare, type Operation, ownPut } from './kv-messages.ts';
import type { Leases } from './leases.ts';
import type { Settings } from './options.ts';
import { read } from './retry.ts';

/** How long an unused fence stays, in seconds. No request stays in flight to etcd for so long. */
const FENCE_SECONDS = 3_600;

/**
 * Ensures that unanswered earlier writes will not happen later. Every write compares the revision of this store's fence
 * key, which does not exist before it is necessary. A write to the fence key makes all delayed writes with an older
 * revision fail. Writes that were done before it are in the store's history.
 */
export class Fence {
  readonly #endpoints: Endpoints;
  readonly #leases: Leases;
  readonly #settings: Settings;
  readonly #key: Buffer;
  #revision: Revision = 0;
  #raising: Promise<Revision> | undefined;

  constructor(endpoints: Endpoints, leases: Leases, settings: Settings) {
    this.#endpoints = endpoints;
    this.#leases = leases;
    this.#settings = settings;
    this.#key = keyBytes(`${settings.prefix}/store:fence/${randomBytes(9).toString('base64url')}`);
  }

  /** The revision that a write carries now. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The condition of a write that carries this revision. */
  compare(carried: Revision): Compare {
    return { key: this.#key, revision: carried };
  }

  /**
   * After this call, no write that carries `carried` can happen. Resolves to a revision of the store from which this is
   * certain.
   *
   * @throws OutcomeUnknownError if etcd does not write the fence in time
   */
  async raise(carried: Revision, giveUpAt: number): Promise<Revision> {
    if (this.#revision > carried) return this.#revision;
    this.#raising ??= this.#write(giveUpAt).finally(() => {
      this.#raising = undefined;
    });
    return this.#raising;
  }

  /**
   * After this call, no write that was sent before it can happen.
   *
   * @throws OutcomeUnknownError as `raise`
   */
  async settle(): Promise<void> {
    await this.raise(this.#revision, performance.now() + this.#settings.writeTimeoutMs);
  }

  /** Reads the revision of the fence, after another write of the fence was done first. */
  async refresh(): Promise<void> {
    const request = { key: this.#key };
    const { readTimeoutMs: timeoutMs, unavailableAfterMs } = this.#settings;
    const ask = (kv: KvClient, within: number) => kv.range(request, within);
    const { items } = await read(this.#endpoints, { timeoutMs, unavailableAfterMs }, ask);
    this.#revision = items[0]?.revision ?? 0;
  }

  /** The write of the fence. It has a lease, unless the store is too full to grant one. */
  async #put(): Promise<Operation> {
    const put = { key: this.#key, value: Buffer.alloc(0) };
    try {
      return ownPut({ ...put, lease: await this.#leases.leaseFor(FENCE_SECONDS) });
    } catch (error) {
      if (error instanceof StoreFullError) return ownPut(put);
      throw error;
    }
  }

  async #write(giveUpAt: number): Promise<Revision> {
    const endpoints = this.#endpoints;
    const leases = this.#leases;
    const settings = this.#settings;
    for (;;) {
      const endpoint = endpoints.current();
      const timeoutMs = Math.min(settings.readTimeoutMs, giveUpAt - performance.now());
      try {
        const put = await this.#put();
        const { header } = await endpoint.kv.txn({ compare: [], success: [put], failure: [] }, timeoutMs);
        this.#revision = header.revision;
        return this.#revision;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.kind === 'refused' && failure.error instanceof LeaseLostError) leases.forget();
        endpoints.failed(endpoint);
        if (performance.now() + 25 >= giveUpAt) {
          const reason = failure.kind === 'refused' ? failure.error.message : failure.message;
          throw new OutcomeUnknownError(`etcd did not answer a write, and cannot be asked about it: ${reason}`);
        }
        await sleep(25);
      }
    }
  }
}
