import { timerMs } from '#base/time/longest-timer.ts';
import type { Client } from '#client/client.ts';
import { discoveryV1 } from '#client/generated/resources.ts';
import { type AddressedProcesses, ANSWER_MS } from './addressed-processes.ts';
import { Watched } from './watched.ts';

/** The largest number of processes of a kind to which the console sends requests. */
const MOST_PROCESSES = 16;

/** How long the list of replicas is reused, in milliseconds. */
const KNOWN_MS = 15_000;

/** How long a replica that the server no longer names is still shown, in milliseconds. */
const MISSED_MS = 300_000;

/** The ports on which managers and schedulers of this field show their metrics. */
const MANAGER_PORTS = [10257, 10259];

/** The time between requests to managers that never answered, in milliseconds. */
const TRY_MS = 30_000;

/** The health paths of replicas and of managers. */
const READY = '/readyz';
const HEALTHY = '/healthz';

/** The processes of a control plane: found through the server, or named by the user. */
export class Members {
  readonly #client: Client;
  readonly #processes: AddressedProcesses;
  readonly #namedManagers: readonly string[];
  readonly #replicas = new Map<string, { readonly watched: Watched; named: number }>();
  readonly #managers = new Map<string, Watched>();
  #foundAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #problem = '';

  /** @param namedManagers addresses of managers, `10.0.0.1:10257`; if there are none, the usual ports are tried */
  constructor(client: Client, processes: AddressedProcesses, namedManagers: readonly string[]) {
    this.#client = client;
    this.#processes = processes;
    this.#namedManagers = namedManagers;
  }

  get replicas(): readonly Watched[] {
    return [...this.#replicas.values()].map(({ watched }) => watched);
  }

  get managers(): readonly Watched[] {
    return [...this.#managers.values()];
  }

  /** Why not all replicas are known; '' if they are. */
  get problem(): string {
    return this.#problem;
  }

  /** Looks which processes there are, and asks each of them once. Never rejects. */
  async read(): Promise<void> {
    if (performance.now() - this.#foundAt >= KNOWN_MS) await this.#find();
    const known = this.managers.filter(({ isKnown }) => isKnown);
    // A manager that may not exist is asked rarely, and the reading does not wait for it.
    if (performance.now() - this.#triedAt >= TRY_MS) {
      this.#triedAt = performance.now();
      for (const manager of this.managers) if (!manager.isKnown) void manager.read();
    }
    await Promise.all([...this.replicas, ...known].map((process) => process.read()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.replicas, ...this.managers].map((process) => process.close()));
  }

  async #find(): Promise<void> {
    const { server, refusal } = this.#processes;
    let addresses: readonly string[] = [];
    try {
      if (refusal !== undefined) throw new Error(refusal);
      addresses = await this.#published();
      this.#problem = addresses.length === 0 ? 'the server publishes no addresses of replicas' : '';
    } catch (error) {
      // The known replicas stay: a server that does not answer for a moment does not make its replicas unknown.
      if (this.#replicas.size > 0) return;
      this.#problem = error instanceof Error ? error.message : String(error);
    }
    this.#foundAt = performance.now();
    const known = addresses.length === 0 ? [server] : addresses.map((address) => new URL(`https://${address}`));
    for (const url of known.slice(0, MOST_PROCESSES)) this.#nameReplica(url);
    await this.#forget();
    if (refusal === undefined) this.#findManagers(known);
  }

  #nameReplica(url: URL): void {
    const entry = this.#replicas.get(url.host);
    if (entry !== undefined) {
      entry.named = performance.now();
      return;
    }
    const path = url.pathname.replace(/\/+$/, '');
    const watched = new Watched(url.host, this.#processes.transport(url), path + READY);
    this.#replicas.set(url.host, { watched, named: performance.now() });
  }

  /** A replica that has ended is still shown for a while, so that the user sees it. */
  async #forget(): Promise<void> {
    for (const [address, { watched, named }] of this.#replicas)
      if (performance.now() - named > timerMs(MISSED_MS)) {
        this.#replicas.delete(address);
        await watched.close();
      }
  }

  #findManagers(replicas: readonly URL[]): void {
    const hosts = [...new Set(replicas.map(({ hostname }) => hostname))];
    const usual = hosts.flatMap((host) => MANAGER_PORTS.map((port) => `${host}:${port}`));
    const addresses = this.#namedManagers.length > 0 ? this.#namedManagers : usual.slice(0, MOST_PROCESSES);
    for (const address of addresses) {
      if (this.#managers.has(address)) continue;
      const transport = this.#processes.transport(new URL(`https://${address}`));
      this.#managers.set(address, new Watched(address, transport, HEALTHY));
    }
  }

  /** The addresses behind the service under which the server publishes itself. */
  async #published(): Promise<readonly string[]> {
    const { naming } = this.#client;
    const { items } = await this.#client
      .resource(discoveryV1.endpointslices)
      .in('default')
      .list({
        labelSelector: `${naming.key('service-name')}=${naming.product}`,
        limit: MOST_PROCESSES,
        timeoutMs: ANSWER_MS,
      });
    const found = items.flatMap(({ endpoints, ports }) => {
      const port = ports?.[0]?.port;
      const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
      return port ? addresses.map((address) => `${address.includes(':') ? `[${address}]` : address}:${port}`) : [];
    });
    return [...new Set(found)].sort();
  }
}
