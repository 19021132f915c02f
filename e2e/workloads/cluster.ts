import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createNaming } from '#base/naming/create-naming.ts';
import { type ConnectedClient, connect } from '#client/client.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { readConnection } from '#program/connection/connection-file.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { managerProcessFlags, startManagerProcess } from '#scripts/manager-process.ts';
import { type Background, freePort, startBackground } from '#scripts/processes.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';

const naming = createNaming('orch');
const dist = path.resolve(import.meta.dirname, '../../dist');
/** The lease is short, so that the next manager begins soon after one was killed. */
const LEASE = [
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=500ms',
];

/** A whole cluster of built programs: a replica, controller managers, a scheduler and simulated nodes. */
export class WorkloadCluster {
  readonly client: ConnectedClient;
  readonly replica: Replica;
  readonly #etcd: EtcdProcess;
  readonly #managers: Background[] = [];
  readonly #others: Background[] = [];
  readonly #flags: readonly string[];

  private constructor(etcd: EtcdProcess, replica: Replica, client: ConnectedClient, flags: readonly string[]) {
    this.#etcd = etcd;
    this.replica = replica;
    this.client = client;
    this.#flags = flags;
  }

  /** @param managerFlags flags of each manager, in addition to those that make it fast */
  static async start(nodes: number, ...managerFlags: string[]): Promise<WorkloadCluster> {
    const pki = temporaryPki('orch');
    const etcd = await EtcdProcess.start();
    const replica = await startReplica(pki, etcd.endpoint);
    const file = pki.file('admin.conf');
    writeConnectionFile(file, naming.product, {
      server: `https://127.0.0.1:${replica.port}`,
      ca: pki.read('ca.crt'),
      clientCertificate: pki.read('admin.crt'),
      clientKey: pki.read('admin.key'),
    });
    const cluster = new WorkloadCluster(etcd, replica, await connect(readConnection(file)), managerFlags);
    const program = (name: string, ...flags: string[]) => {
      const main = path.join(dist, name, 'main.js');
      const argv = [main, `--kubeconfig=${file}`, ...flags];
      cluster.#others.push(startBackground(name, process.execPath, argv, pki.file(`${name}.log`)));
    };
    program('scheduler', '--leader-elect=false', '--secure-port=0', '--orch-api-qps=0');
    program('nodes', `--nodes=${nodes}`, '--naming=orch', '--node-lease-duration=4s');
    await cluster.startManager();
    return cluster;
  }

  /** The output of the command line. Rejects if it fails. */
  async orchctl(...args: readonly string[]): Promise<string> {
    const main = path.join(dist, 'cli/main.js');
    const connection = this.replica.pki.file('admin.conf');
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, `--kubeconfig=${connection}`]);
    return stdout;
  }

  /** The leading manager. */
  leader(): Promise<Background> {
    const leads = ({ log, exit }: Background) =>
      exit() === undefined && readFileSync(log, 'utf8').includes('this instance is the leader');
    return waitUntil('a manager leads', () => this.#managers.find(leads)) as Promise<Background>;
  }

  /** Starts another controller manager. */
  async startManager(): Promise<Background> {
    const { pki, port: apiPort } = this.replica;
    const port = await freePort(23_000 + Math.floor(Math.random() * 1000));
    const flags = [
      ...managerProcessFlags(naming, pki, { apiPort, port }),
      '--orch-api-qps=0',
      ...LEASE,
      ...this.#flags,
    ];
    const log = pki.file(`manager-${port}.log`);
    const manager = startManagerProcess(`manager-${port}`, path.join(dist, 'controllers/main.js'), flags, log);
    this.#managers.push(manager);
    return manager;
  }

  async stop(): Promise<void> {
    await this.client.close();
    await Promise.all([...this.#managers, ...this.#others].map((one) => one.stop()));
    await this.replica.stop();
    await this.#etcd.stop();
  }
}

/** Kills a process (SIGKILL). */
export async function kill(process_: Background): Promise<void> {
  process.kill(process_.pid, 'SIGKILL');
  while (process_.exit() === undefined) await sleep(10);
}
