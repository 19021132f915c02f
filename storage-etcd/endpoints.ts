import { StoreUnavailableError } from '#storage/object-store.ts';
import { TrafficCounter } from '#storage/traffic.ts';
import { Endpoint } from './endpoint.ts';
import type { Settings } from './options.ts';

/**
 * The members of the cluster. All calls go to one member until a call fails. Then they go to the next member. The first
 * member is chosen at random, so that replicas use different members.
 */
export class Endpoints {
  /** Counts the traffic of all endpoints. */
  readonly traffic = new TrafficCounter();
  readonly #endpoints: readonly Endpoint[];
  #current: number;
  #nextFeed: number;
  #closed = false;

  constructor(settings: Settings) {
    this.#endpoints = settings.endpoints.map((address) => new Endpoint(address, settings, this.traffic));
    this.#current = Math.floor(Math.random() * this.#endpoints.length);
    this.#nextFeed = this.#current;
  }

  get size(): number {
    return this.#endpoints.length;
  }

  get all(): readonly Endpoint[] {
    return this.#endpoints;
  }

  /**
   * The member to call now.
   *
   * @throws StoreUnavailableError once closed
   */
  current(): Endpoint {
    if (this.#closed) throw new StoreUnavailableError('the store is closed');
    return this.#endpoints[this.#current]!;
  }

  /** A call to this member failed: the next calls go to another one. */
  failed(endpoint: Endpoint): void {
    if (this.#endpoints[this.#current] === endpoint) this.#current = (this.#current + 1) % this.#endpoints.length;
  }

  /**
   * The member on which the next feed is opened. It is a different member each time.
   *
   * @throws StoreUnavailableError once closed
   */
  nextForFeed(): Endpoint {
    if (this.#closed) throw new StoreUnavailableError('the store is closed');
    const endpoint = this.#endpoints[this.#nextFeed]!;
    this.#nextFeed = (this.#nextFeed + 1) % this.#endpoints.length;
    return endpoint;
  }

  close(): void {
    this.#closed = true;
    for (const endpoint of this.#endpoints) endpoint.close();
  }
}
