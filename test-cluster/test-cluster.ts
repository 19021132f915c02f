import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ConnectedClient, type Connection, connect, createNaming, type Naming } from '#client/index.ts';
import type { ClusterProcess } from './cluster-process.ts';
import { Faults } from './faults.ts';
import type { ClusterOptions, Started } from './messages.ts';
import { milliseconds } from './milliseconds.ts';

/** A user of the cluster. A text is the name of a user without groups. */
export type ClusterUser = string | { readonly name: string; readonly groups?: readonly string[] };

/** The clock of a cluster. It is the clock of this machine until a test moves it ahead. */
export class ClusterClock {
  readonly #process: ClusterProcess;

  /** {@link TestCluster} makes it. */
  constructor(process: ClusterProcess) {
    this.#process = process;
  }

  /**
   * Moves the clock ahead, as if the cluster had waited. Leases, tokens and certificates expire, and periodic work of
   * the server and the controllers becomes due. Watches whose time is over end, as usual. Controllers may still be
   * working when this resolves. The clock never goes back, not even at a `reset`.
   *
   * @param time milliseconds, or a text such as `1h30m`
   * @returns the time on the clock after that
   */
  async advance(time: string | number): Promise<Date> {
    return new Date(await this.#process.call('advance', milliseconds(time)));
  }
}

/** A cluster in a separate process: API server, controllers, and a store in memory. */
export class TestCluster {
  /** The address of the API server. */
  readonly url: string;
  /** The text of an administrator's connection file. */
  readonly kubeconfig: string;
  /** Whose words the API server speaks. */
  readonly naming: Naming;
  readonly clock: ClusterClock;
  readonly faults: Faults;
  readonly #process: ClusterProcess;
  readonly #started: Started;
  readonly #clients: ConnectedClient[] = [];
  readonly #files = new Set<string>();

  /** `startCluster` makes it. */
  constructor(process: ClusterProcess, started: Started, { naming = 'orch' }: ClusterOptions) {
    this.#process = process;
    this.#started = started;
    this.url = started.url;
    this.kubeconfig = started.connectionFile;
    this.naming = createNaming(naming);
    this.clock = new ClusterClock(process);
    this.faults = new Faults(process);
  }

  /** The process of the cluster. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /**
   * A client of the cluster. `stop` closes it.
   *
   * @param user the user whose permissions it has; by default an administrator with all permissions
   * @example const client = await cluster.client({ name: 'ann', groups: ['developers'] });
   */
  async client(user?: ClusterUser): Promise<ConnectedClient> {
    const client = await connect(this.connection(user), { naming: this.naming });
    this.#clients.push(client);
    return client;
  }

  /** The connection to the cluster, for a client of another kind. */
  connection(user?: ClusterUser): Connection {
    const { url, ca, certificate, key } = this.#started;
    const as = typeof user === 'string' ? { user } : user && { user: user.name, groups: user.groups ?? [] };
    return {
      cluster: { server: url, ca: { text: ca } },
      user: {
        clientCertificate: { text: certificate },
        clientKey: { text: key },
        ...(as === undefined ? {} : { impersonate: as }),
      },
    };
  }

  /**
   * Writes an administrator's connection file for other programs, and returns its absolute path. `stop` removes the
   * file.
   */
  writeKubeconfig(file: string): string {
    const absolute = path.resolve(file);
    writeFileSync(absolute, this.kubeconfig, { mode: 0o600 });
    this.#files.add(absolute);
    return absolute;
  }

  /**
   * Restores the state after the start, and ends all faults. Revisions continue to grow, and watches show the changes.
   * Objects have their old uids. Stop your controllers first, because otherwise they continue their present work.
   *
   * @returns the number of objects that differed
   */
  async reset(): Promise<number> {
    return this.#process.call('reset');
  }

  /** Drops the history: watches and lists from earlier versions get a 410. */
  async compact(): Promise<void> {
    await this.#process.call('compact');
  }

  /** Cuts all connections, and starts the API server and the controllers again on the same port and store. */
  async restart(): Promise<void> {
    await this.#process.call('restart');
  }

  /** Closes the clients, and ends the cluster with all its parts. */
  async stop(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
    for (const file of this.#files) rmSync(file, { force: true });
    await this.#process.stop();
  }
}
