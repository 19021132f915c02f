import type { Client } from '../client.ts';
import type { Discovered } from './discovered.ts';
import { readAggregated } from './read-aggregated.ts';
import { readVersions } from './read-versions.ts';

export interface DiscoveryOptions {
  /** Milliseconds after which discovery is read again; 10 minutes by default. */
  readonly maxAgeMs?: number;
  readonly now?: () => number;
}

/**
 * Reads the resources of a server, and caches them for a while. Callers that ask at the same time share one request.
 *
 * @example const gizmos = (await new Discovery(client).get()).named('gizmos')
 */
export class Discovery {
  readonly #client: Client;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  #known: { readonly discovered: Discovered; readonly at: number; readonly asked: number } | undefined;
  #asking: Promise<Discovered> | undefined;

  constructor(client: Client, options: DiscoveryOptions = {}) {
    this.#client = client;
    this.#maxAgeMs = options.maxAgeMs ?? 600_000;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The known discovery, or a new one from the server. Rejects like {@link refresh}. */
  async get(): Promise<Discovered> {
    const known = this.#known;
    if (known !== undefined && this.#now() - known.at < this.#maxAgeMs) return known.discovered;
    return this.refresh();
  }

  /** Discovery that was read at this moment of `performance.now()` or later. */
  async since(moment: number): Promise<Discovered> {
    const known = this.#known;
    if (known !== undefined && known.asked >= moment) return known.discovered;
    // A request in progress may have read some documents before the moment.
    if (this.#asking !== undefined) await this.#asking.catch(() => {});
    const latest = this.#known;
    return latest !== undefined && latest.asked >= moment ? latest.discovered : this.refresh();
  }

  /** Reads discovery from the server. Rejects only if the list of groups cannot be read. */
  refresh(): Promise<Discovered> {
    const asked = performance.now();
    this.#asking ??= discover(this.#client)
      .then((discovered) => {
        this.#known = { discovered, at: this.#now(), asked };
        return discovered;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }
}

/**
 * Reads the resources that a server serves. With the aggregated document this takes two requests, and otherwise one
 * request for each group version.
 */
export async function discover(client: Client, signal?: AbortSignal): Promise<Discovered> {
  return (await readAggregated(client, signal)) ?? (await readVersions(client, signal));
}
