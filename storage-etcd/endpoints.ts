import type { Etcd3 } from 'etcd3';
import { createClient } from './client.ts';
import { KvClient } from './kv-client.ts';
import { StoreUnavailableError } from './object-store.ts';
import type { Settings } from './options.ts';

export interface Endpoint {
  readonly address: string;
  /** For the calls behind every read and write. */
  readonly kv: KvClient;
  /** For everything else; it connects when first used. */
  readonly client: Etcd3;
}

/**
 * The members of the cluster. Calls stay with one member until it fails, then all move to the next; the first is
 * picked at random, so that replicas spread.
 */
export class Endpoints {
  readonly #settings: Settings;
  readonly #endpoints: readonly Endpoint[];
  #current: number;
  #nextFeed: number;
  #closed = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#endpoints = settings.endpoints.map((address) => ({
      address,
      kv: new KvClient(address, settings),
      client: createClient(address, settings),
    }));
    this.#current = Math.floor(Math.random() * this.#endpoints.length);
    this.#nextFeed = this.#current;
  }

  get size(): number {
    return this.#endpoints.length;
  }

  get all(): readonly Endpoint[] {
    return this.#endpoints;
  }

  /** The member to call now. Throws StoreUnavailableError once closed. */
  current(): Endpoint {
    if (this.#closed) {
      throw new StoreUnavailableError('the store is closed');
    }
    return this.#endpoints[this.#current]!;
  }

  /** A call to this member failed: the next calls go to another one. */
  failed(endpoint: Endpoint): void {
    if (this.#endpoints[this.#current] === endpoint) {
      this.#current = (this.#current + 1) % this.#endpoints.length;
    }
  }

  /**
   * A client for one stream, of which the caller closes `client`: each opening goes to another member than the one
   * before, and a stream that is cancelled takes its whole channel along.
   */
  openStreamClient(): Endpoint {
    if (this.#closed) {
      throw new StoreUnavailableError('the store is closed');
    }
    const { address, kv } = this.#endpoints[this.#nextFeed]!;
    this.#nextFeed = (this.#nextFeed + 1) % this.#endpoints.length;
    return { address, kv, client: createClient(address, this.#settings) };
  }

  close(): void {
    this.#closed = true;
    for (const { kv, client } of this.#endpoints) {
      kv.close();
      client.close();
    }
  }
}
