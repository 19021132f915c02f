import type { Client } from '../client.ts';
import type { Discovered } from './discovered.ts';
import { readAggregated } from './read-aggregated.ts';
import { readVersions } from './read-versions.ts';

export interface DiscoveryOptions {
  /** Milliseconds after which what is known is asked for again; 10 minutes by default. */
  readonly maxAgeMs?: number;
  readonly now?: () => number;
}

/** What a server serves, kept for a while. Asks once for all who want to know meanwhile. */
export class Discovery {
  readonly #client: Client;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  #known: { readonly discovered: Discovered; readonly at: number } | undefined;
  #asking: Promise<Discovered> | undefined;

  constructor(client: Client, options: DiscoveryOptions = {}) {
    this.#client = client;
    this.#maxAgeMs = options.maxAgeMs ?? 600_000;
    this.#now = options.now ?? (() => performance.now());
  }

  /** What is known, or what the server says now. */
  async get(): Promise<Discovered> {
    const known = this.#known;
    if (known !== undefined && this.#now() - known.at < this.#maxAgeMs) return known.discovered;
    return this.refresh();
  }

  /** Asks the server. Rejects only where it does not tell its groups. */
  refresh(): Promise<Discovered> {
    this.#asking ??= discover(this.#client)
      .then((discovered) => {
        this.#known = { discovered, at: this.#now() };
        return discovered;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }
}

/** Two requests where the server tells everything at once, else one for each version of each group. */
export async function discover(client: Client, signal?: AbortSignal): Promise<Discovered> {
  return (await readAggregated(client, signal)) ?? (await readVersions(client, signal));
}
