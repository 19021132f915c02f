import type { Pki } from '#scripts/pki.ts';
import { freePort } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica } from '../replica.ts';
import { Members } from './members.ts';
import { PREFIX, Recorder } from './recorder.ts';

export interface SystemOptions {
  readonly replicas: number;
  readonly pki: Pki;
  /** The folder of the built server. */
  readonly dist?: string;
  /** Additional flags of every replica. */
  readonly flags?: readonly string[];
  /** The name in the history for a key below the prefix. Undefined for keys that the run ignores. */
  readonly keyOf: (stored: string) => string | undefined;
}

/** The system under test: etcd, replicas, and the record of all changes in etcd. */
export class System {
  readonly members: Members;
  readonly recorder: Recorder;
  readonly pki: Pki;
  readonly ports: readonly number[];
  readonly #options: SystemOptions;
  readonly #endpoints: readonly string[];
  readonly #replicas: (Replica | undefined)[];
  /** The output of all replicas that ever ran. */
  readonly logs: string[] = [];

  private constructor(
    members: Members,
    recorder: Recorder,
    pki: Pki,
    ports: readonly number[],
    endpoints: readonly string[],
    options: SystemOptions,
  ) {
    this.members = members;
    this.recorder = recorder;
    this.pki = pki;
    this.ports = ports;
    this.#endpoints = endpoints;
    this.#options = options;
    this.#replicas = ports.map(() => undefined);
  }

  static async start(options: SystemOptions): Promise<System> {
    const members = await Members.start();
    const endpoints = members.processes.map(({ endpoint }) => endpoint);
    const recorder = new Recorder(endpoints, PREFIX, 1, options.keyOf);
    const indices = Array.from({ length: options.replicas }, (_, i) => i);
    const ports = await Promise.all(indices.map(() => freePort()));
    const linked = await Promise.all(indices.map((i) => members.endpointsFor(i)));
    const system = new System(members, recorder, options.pki, ports, linked, options);
    try {
      await Promise.all(indices.map((i) => system.launch(i)));
    } catch (error) {
      await system.stop();
      throw error;
    }
    return system;
  }

  /** A running replica. Throws if it does not run. */
  replica(index: number): Replica {
    const replica = this.#replicas[index];
    if (replica === undefined) throw new Error(`replica ${index} does not run`);
    return replica;
  }

  /** Starts a replica on its port and waits until it is ready. */
  async launch(index: number): Promise<void> {
    const { dist, flags = [] } = this.#options;
    const replica = await startReplica(this.pki, this.#endpoints[index]!, {
      port: this.ports[index]!,
      flags,
      ...(dist === undefined ? {} : { dist }),
    });
    this.logs.push(replica.log);
    this.#replicas[index] = replica;
  }

  /** Ends a replica by SIGTERM or by SIGKILL. */
  async end(index: number, how: 'stop' | 'kill'): Promise<void> {
    const replica = this.replica(index);
    await replica[how]();
    this.#replicas[index] = undefined;
  }

  async stop(keepIn?: string): Promise<void> {
    const running = this.#replicas.filter((replica) => replica !== undefined);
    await Promise.all(running.map((replica) => replica.kill()));
    await this.recorder.stop().finally(() => this.members.stop(keepIn));
  }
}
