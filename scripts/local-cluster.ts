import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import { usualRelease } from '#base/release/usual-release.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { apiRequest } from './api-request.ts';
import { findEtcd } from './find-etcd.ts';
import { managerProcessFlags, startManagerProcess } from './manager-process.ts';
import { allowNodes, nodesProcessFlags } from './nodes-process.ts';
import { makePki, type Pki } from './pki.ts';
import { type Background, freePort, startBackground, waitFor } from './processes.ts';
import { replicaFlags } from './replica-flags.ts';
import { startReplicaProcess } from './replica-process.ts';
import { schedulerProcessFlags, startProgram } from './scheduler-process.ts';
import { splitWords } from './split-words.ts';

/** A replica of a local cluster. */
export interface LocalReplica {
  /** The requested port. */
  readonly wanted: number;
  /** The actual port: the next free one if the requested one was in use. */
  readonly port: number;
}

const dist = path.resolve(import.meta.dirname, '../dist');

/**
 * etcd, replicas, a controller manager, a scheduler and simulated nodes on this machine, as `make run` and `make watch`
 * start them. Settings come from the environment (README.md lists them). Data, certificates and logs are in `directory`
 * and are used again later.
 */
export class LocalCluster {
  readonly naming: Naming;
  readonly pki: Pki;
  readonly directory: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #running: Background[] = [];
  /** Ports that this cluster has chosen. */
  readonly #taken: number[] = [];
  #etcdServers = '';
  #manager: { readonly process: Background; readonly port: number } | undefined;
  readonly #replicas: { process: Background; readonly wanted: number; readonly port: number }[] = [];
  #stopping: Promise<void> | undefined;

  /**
   * @param environment `NAMING`, `RUN_DIR`, `ETCD_SERVERS` and `FLAGS`
   * @throws Error when `NAMING` is not known
   */
  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
    this.directory = environment['RUN_DIR'] ?? '.run';
    this.naming = chosenNaming(environment['NAMING']);
    mkdirSync(this.directory, { recursive: true });
    this.pki = makePki(path.join(this.directory, 'pki'), this.naming);
  }

  /** Starts etcd, or uses the one that `ETCD_SERVERS` names. Resolves with its address once it serves. */
  async startEtcd(): Promise<string> {
    this.#etcdServers = this.#environment['ETCD_SERVERS'] ?? (await this.#startOwnEtcd());
    return this.#etcdServers;
  }

  /** Starts a replica on the first free port, beginning at `wanted`. Resolves once it is ready. */
  async startReplica(wanted: number): Promise<LocalReplica> {
    const port = await this.#takePort(wanted);
    const replica = this.#launchReplica(port);
    return this.#readyOrAgain(replica, () => this.startReplica(wanted), {
      isReady: () => this.#isReady(port),
      done: () => {
        this.#replicas.push({ process: replica, wanted, port });
        return { wanted, port };
      },
    });
  }

  /** Starts the controller manager for the API server on a port. Resolves with its own port once it is ready. */
  async startManager(apiPort: number): Promise<number> {
    const port = await this.#takePort(10257);
    const manager = this.#launchManager(apiPort, port);
    return this.#readyOrAgain(manager, () => this.startManager(apiPort), {
      isReady: () => this.#isReady(port),
      done: () => {
        this.#manager = { process: manager, port };
        return port;
      },
    });
  }

  /** Starts the scheduler for the API server on a port. Resolves with its own port once it is ready. */
  async startScheduler(apiPort: number): Promise<number> {
    const port = await this.#takePort(10259);
    const flags = schedulerProcessFlags(this.naming, this.pki, { apiPort, port });
    const scheduler = this.#launch('scheduler', 'scheduler/main.js', flags);
    return this.#readyOrAgain(scheduler, () => this.startScheduler(apiPort), {
      isReady: () => this.#isReady(port),
      done: () => port,
    });
  }

  /** Starts simulated nodes, for the API server on a port. Resolves once they answer for their pods. */
  async startNodes(apiPort: number, nodes: number): Promise<number> {
    await allowNodes(this.naming, this.pki, { apiPort, nodes });
    const port = await this.#takePort(10250);
    const flags = [...nodesProcessFlags(this.naming, this.pki, { apiPort, nodes }), `--port=${port}`];
    const simulated = this.#launch('nodes', 'nodes/main.js', flags);
    return this.#readyOrAgain(simulated, () => this.startNodes(apiPort, nodes), {
      isReady: async () => (await apiRequest(this.pki, port, 'GET', '/healthz', undefined, 10_000)).status === 200,
      done: () => port,
    });
  }

  /** Restarts every replica with the current build, one after the other, on the same ports. */
  async restartReplicas(): Promise<void> {
    for (const replica of this.#replicas) {
      await this.#stopOne(replica.process);
      if (this.#stopping !== undefined) return;
      replica.process = this.#launchReplica(replica.port);
      this.#running.push(replica.process);
      await waitFor(replica.process, 60, () => this.#isReady(replica.port));
    }
  }

  /** Restarts the controller manager with the current build. Does nothing if none was started. */
  async restartManager(): Promise<void> {
    if (this.#manager === undefined) return;
    const { process, port } = this.#manager;
    await this.#stopOne(process);
    if (this.#stopping !== undefined) return;
    const manager = this.#launchManager(this.#replicas[0]!.port, port);
    this.#running.push(manager);
    this.#manager = { process: manager, port };
    await waitFor(manager, 60, () => this.#isReady(port));
  }

  /** Writes the connection file of an administrator and returns its path. */
  writeAdminConnection(apiPort: number): string {
    const file = path.join(this.directory, 'admin.conf');
    writeConnectionFile(file, this.naming.product, {
      server: `https://127.0.0.1:${apiPort}`,
      ca: this.pki.read('ca.crt'),
      clientCertificate: this.pki.read('admin.crt'),
      clientKey: this.pki.read('admin.key'),
    });
    return file;
  }

  /** The flags of a replica on a port of this machine. */
  replicaFlags(port: number): string[] {
    const further = splitWords(this.#environment['FLAGS'] ?? '');
    const isChosen = further.some((flag) => flag.startsWith('--emulated-version'));
    return [
      ...replicaFlags(this.naming, this.pki, { etcdServers: this.#etcdServers, port }),
      '--enable-admission-plugins=NodeRestriction',
      ...(isChosen ? [] : [`--emulated-version=${usualRelease(this.naming).name}`]),
      ...further,
    ];
  }

  /** A process that has ended by itself. */
  ended(): Background | undefined {
    return this.#running.find((process) => process.exit() !== undefined);
  }

  /** Stops everything, in an order in which each process can still reach the processes that it uses. */
  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      const stop = (fits: (name: string) => boolean) =>
        Promise.all(this.#running.filter(({ name }) => fits(name)).map((process) => process.stop()));
      await stop((name) => ['controller-manager', 'scheduler', 'nodes'].includes(name));
      await stop((name) => name !== 'etcd');
      await stop((name) => name === 'etcd');
    })();
    return this.#stopping;
  }

  async #startOwnEtcd(): Promise<string> {
    const [client, peer] = [await this.#takePort(12379), await this.#takePort(12380)];
    const url = `http://127.0.0.1:${client}`;
    const peerUrl = `http://127.0.0.1:${peer}`;
    const etcd = startBackground(
      'etcd',
      findEtcd(),
      [
        `--data-dir=${path.join(this.directory, 'etcd')}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=${peerUrl}`,
        `--initial-advertise-peer-urls=${peerUrl}`,
        `--initial-cluster=default=${peerUrl}`,
      ],
      path.join(this.directory, 'etcd.log'),
    );
    // The answer may come from another run's etcd that took the port first, so the log of this one must confirm it.
    const serves = () => readFileSync(etcd.log, 'utf8').includes('ready to serve client requests');
    return this.#readyOrAgain(etcd, () => this.#startOwnEtcd(), {
      isReady: async () => serves() && (await fetch(`${url}/health`)).ok,
      done: () => url,
      seconds: 30,
    });
  }

  #launchReplica(port: number): Background {
    const log = path.join(this.directory, `replica-${port}.log`);
    return startReplicaProcess(`replica-${port}`, built('server/main.js'), this.replicaFlags(port), log);
  }

  #launchManager(apiPort: number, port: number): Background {
    const flags = managerProcessFlags(this.naming, this.pki, { apiPort, port });
    const log = path.join(this.directory, 'controller-manager.log');
    return startManagerProcess('controller-manager', built('controllers/main.js'), flags, log);
  }

  #launch(name: string, program: string, flags: readonly string[]): Background {
    return startProgram(name, built(program), flags, path.join(this.directory, `${name}.log`));
  }

  async #isReady(port: number): Promise<boolean> {
    return (await apiRequest(this.pki, port, 'GET', '/readyz')).status === 200;
  }

  async #stopOne(process: Background): Promise<void> {
    const at = this.#running.indexOf(process);
    if (at >= 0) this.#running.splice(at, 1);
    await process.stop();
  }

  /** A free port that nothing else of this cluster gets. */
  async #takePort(wanted: number): Promise<number> {
    for (let from = wanted; ; ) {
      const port = await freePort(from, this.#taken);
      // Another process of this cluster may have taken it meanwhile.
      if (!this.#taken.includes(port)) {
        this.#taken.push(port);
        return port;
      }
      from = port + 1;
    }
  }

  /** Waits until a process is ready. Starts another one if a foreign process took its port first. */
  async #readyOrAgain<T>(
    process: Background,
    again: () => Promise<T>,
    {
      isReady,
      done,
      seconds = 60,
    }: { readonly isReady: () => Promise<boolean>; readonly done: () => T; readonly seconds?: number },
  ): Promise<T> {
    this.#running.push(process);
    try {
      await waitFor(process, seconds, isReady);
      return done();
    } catch (error) {
      const portIsTaken = /address already in use|another process has this port/;
      if (this.#stopping !== undefined || process.exit() === undefined || !portIsTaken.test(process.tail()))
        throw error;
      this.#running.splice(this.#running.indexOf(process), 1);
      return again();
    }
  }
}

/** The path of a built program. */
function built(program: string): string {
  const main = path.join(dist, program);
  if (!existsSync(main)) throw new Error(`${main} is missing: run make build first.`);
  return main;
}

function chosenNaming(named: string | undefined): Naming {
  const wanted = named ?? namingProfiles[0];
  const profile = namingProfiles.find((known) => known === wanted);
  if (profile === undefined)
    throw new Error(`NAMING=${wanted} is not known: choose one of ${namingProfiles.join(', ')}.`);
  return createNaming(profile);
}
