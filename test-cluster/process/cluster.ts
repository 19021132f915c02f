import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import { type DevCluster, startDevCluster } from '#dev/dev-cluster.ts';
import { CompactedError } from '#storage/object-store.ts';
import { type EmbeddedStore, openEmbeddedStore } from '#storage-embedded/embedded-store.ts';
import type { Calls, ClusterOptions, Effect, RequestMatch, Started } from '../messages.ts';
import { Faults } from './faults.ts';
import { InitialState } from './initial-state.ts';
import type { SteeredClock } from './steered-clock.ts';

/** The prefix of all keys of the server, by its default flags. */
const PREFIX = '/registry/';

/** The start is complete when the controllers act and have written nothing for this time, in milliseconds. */
const QUIET_MS = 200;
const QUIET_WITHIN_MS = 5_000;

/** The answers of this process to calls: the result that {@link Calls} declares, or a promise of it. */
type Answers = {
  readonly [Name in keyof Calls]: (...args: Parameters<Calls[Name]>) => Promise<ReturnType<Calls[Name]>>;
};

/** The cluster of this process. Its store stays when the cluster restarts. */
export class Cluster implements Answers {
  readonly #clock: SteeredClock;
  readonly #log: Logger;
  readonly #faults = new Faults();
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'test-cluster-'));
  #store: EmbeddedStore | undefined;
  #running: DevCluster | undefined;
  #initial: InitialState | undefined;
  #begin: (port: number, definitions?: string) => Promise<DevCluster> = () => Promise.reject(new Error('not started'));

  constructor(clock: SteeredClock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  async start(options: ClusterOptions): Promise<Started> {
    const store = await openEmbeddedStore({ file: undefined });
    this.#store = store;
    const { emulatedVersion, serverFlags = [], controllers } = options;
    const naming = createNaming(options.naming ?? namingProfiles[0]!);
    this.#begin = (port, definitions) =>
      startDevCluster({
        naming,
        data: this.#folder,
        port,
        definitions,
        controllers,
        nodes: options.nodes ?? 0,
        serverFlags: [
          ...(emulatedVersion === undefined ? [] : [`--emulated-version=${emulatedVersion}`]),
          // Faults hold and cut connections. With HTTP/1.1 each watch has a separate connection.
          '--disable-http2-serving=true',
          ...serverFlags,
        ],
        inside: { store, filters: [this.#faults.filter] },
        log: this.#log,
      });
    this.#running = await this.#begin(0, options.definitions);
    await quiet(store, this.#running);
    this.#initial = await InitialState.of(store, PREFIX, ownKeys(naming));
    const { url, connectionFile, files } = this.#running;
    const [ca, certificate, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => files.read(name));
    return { url, connectionFile, ca: ca!, certificate: certificate!, key: key! };
  }

  async reset(): Promise<number> {
    this.#faults.clear();
    return this.#initial?.restore() ?? 0;
  }

  async advance(milliseconds: number): Promise<number> {
    await this.#clock.advance(milliseconds);
    return this.#clock.now;
  }

  async addFault(match: RequestMatch, effect: Effect, times: number): Promise<number> {
    return this.#faults.add(match, effect, times);
  }

  async met(fault: number): Promise<number> {
    return this.#faults.met(fault);
  }

  async endFault(fault: number): Promise<number> {
    return this.#faults.end(fault);
  }

  async clearFaults(): Promise<void> {
    this.#faults.clear();
  }

  async cutWatches(match: RequestMatch): Promise<number> {
    return this.#faults.cutWatches(match);
  }

  async compact(): Promise<void> {
    const store = this.#store!;
    try {
      await store.compact(await store.currentRevision());
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
    }
    this.#running?.server.forgetHistory();
  }

  async restart(): Promise<void> {
    const running = this.#running!;
    running.server.cut();
    await running.stop();
    this.#running = await this.#begin(Number(new URL(running.url).port));
  }

  /** Ends the cluster and deletes its files. */
  async stop(): Promise<void> {
    this.#faults.clear();
    this.#running?.server.cut();
    await this.#running?.stop();
    await this.#store?.close();
    this.removeFolder();
  }

  /** Deletes the files synchronously, for a process that cannot wait. */
  removeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Waits until the controllers have created the objects that they create at a start. */
async function quiet(store: EmbeddedStore, cluster: DevCluster): Promise<void> {
  const giveUpAt = performance.now() + QUIET_WITHIN_MS;
  for (let before = 0; performance.now() < giveUpAt; await sleep(QUIET_MS)) {
    const revision = await store.currentRevision();
    if (revision === before && cluster.controllersAct) return;
    before = revision;
  }
}

/**
 * The keys that the cluster itself needs: the server's records about the store and about itself, and the accounts of
 * its controllers, which are created on demand.
 */
function ownKeys(naming: Naming): (key: string) => boolean {
  const system = naming.prefixed('system');
  const own = [
    'store:',
    'masters/',
    `core/serviceaccounts/${system}/`,
    `core/endpoints/default/${naming.product}`,
    `discovery/endpointslices/default/${naming.product}`,
  ].map((start) => PREFIX + start);
  return (key) => own.some((start) => key.startsWith(start));
}
