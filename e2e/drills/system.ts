import type { Pki } from '#scripts/pki.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { type RoundRobin, startRoundRobin } from '../round-robin.ts';
import { Clients } from './clients.ts';
import { Cluster, type ClusterOptions } from './cluster.ts';

export interface DrillOptions extends ClusterOptions {
  /** The certificates of the system. By default, it makes new ones. */
  readonly pki?: Pki;
  /** Additional flags of each replica. */
  readonly replicaFlags?: readonly string[];
  /** A module that is loaded into each replica before its program. */
  readonly preload?: string;
}

const REPLICAS = 2;

/**
 * Three members of etcd, replicas that are never restarted, and clients behind a proxy that sends requests to all
 * replicas without a check of their health.
 */
export class DrillSystem {
  readonly cluster: Cluster;
  readonly pki: Pki;
  readonly replicas: readonly Replica[];
  readonly clients: Clients;
  readonly #proxy: RoundRobin;

  private constructor(cluster: Cluster, pki: Pki, replicas: readonly Replica[], proxy: RoundRobin) {
    this.cluster = cluster;
    this.pki = pki;
    this.replicas = replicas;
    this.#proxy = proxy;
    this.clients = new Clients(pki, proxy.port);
  }

  static async start(given: DrillOptions = {}): Promise<DrillSystem> {
    const { replicaFlags = [], preload, pki = temporaryPki(), ...options } = given;
    const cluster = await Cluster.start(options);
    const replicas: Replica[] = [];
    // The programs start one after the other, because each takes the next free port.
    for (let i = 0; i < REPLICAS; i++)
      replicas.push(
        await startReplica(pki, cluster.endpoints, { flags: replicaFlags, ...(preload !== undefined && { preload }) }),
      );
    const proxy = await startRoundRobin(replicas.map(({ port }) => port));
    const system = new DrillSystem(cluster, pki, replicas, proxy);
    await system.clients.start();
    return system;
  }

  async stop(): Promise<void> {
    await this.clients.stop();
    await this.#proxy.stop();
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await this.cluster.stop();
  }
}
