import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { ensureCertificates } from '#scripts/certificates.ts';
import { startManagerProcess } from '#scripts/manager-process.ts';
import type { Pki } from '#scripts/pki.ts';
import type { Background } from '#scripts/processes.ts';
import { Link, type LinkState } from '../link.ts';

/** The lease is short, so that instances lose and get it many times in a run. */
const LEASE = [
  '--leader-elect-lease-duration=6s',
  '--leader-elect-renew-deadline=4s',
  '--leader-elect-retry-period=1s',
];
export const LEASE_MS = 6000;

/** A program that runs in several instances, one of which leads. */
export interface InstanceKind {
  /** The prefix of its instances' names. */
  readonly name: 'manager' | 'scheduler';
  /** Its file below `dist/`. */
  readonly main: string;
  /** The flags of this program only. */
  readonly flags: (pki: Pki) => readonly string[];
}

export const MANAGER: InstanceKind = {
  name: 'manager',
  main: 'controllers/main.js',
  flags: (pki) => [
    `--root-ca-file=${pki.file('ca.crt')}`,
    `--service-account-private-key-file=${pki.file('sa.key')}`,
    `--cluster-signing-cert-file=${pki.file('ca.crt')}`,
    `--cluster-signing-key-file=${pki.file('ca.key')}`,
  ],
};

export const SCHEDULER: InstanceKind = { name: 'scheduler', main: 'scheduler/main.js', flags: () => [] };

/** The names of `count` instances. */
export function instanceNames({ name }: InstanceKind, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${name}-${i}`);
}

/** Writes the connection file of a user with a certificate of this name, for a port of this machine. */
export function connectionOf(pki: Pki, name: string, port: number): string {
  const file = pki.file(`${name}.conf`);
  writeConnectionFile(file, name, {
    server: `https://127.0.0.1:${port}`,
    ca: pki.read('ca.crt'),
    clientCertificate: pki.read(`${name}.crt`),
    clientKey: pki.read(`${name}.key`),
  });
  return file;
}

/** Instances of a program behind links that can be cut or stalled. Each instance has a separate certificate, which
 * identifies the author of each write. */
export class Instances {
  readonly names: readonly string[];
  readonly #kind: InstanceKind;
  readonly #pki: Pki;
  readonly #dist: string;
  readonly #links: readonly Link[];
  readonly #states: LinkState[];
  readonly #processes: (Background | undefined)[];
  #starts = 0;
  /** The output of all instances that ever ran. */
  readonly logs: string[] = [];

  private constructor(kind: InstanceKind, pki: Pki, dist: string, links: readonly Link[], states: LinkState[]) {
    this.#kind = kind;
    this.names = instanceNames(kind, links.length);
    this.#pki = pki;
    this.#dist = dist;
    this.#links = links;
    this.#states = states;
    this.#processes = links.map(() => undefined);
  }

  /** Starts one instance for each port of a replica. */
  static async start(kind: InstanceKind, pki: Pki, ports: readonly number[], dist: string): Promise<Instances> {
    const states: LinkState[] = ports.map(() => 'open');
    const links = await Promise.all(ports.map((port, i) => Link.start(port, () => states[i]!)));
    ensureCertificates(
      pki.directory,
      instanceNames(kind, ports.length).map((name) => ({
        name,
        subject: `/O=system:masters/CN=${name}`,
        issuer: 'ca',
        usage: ['clientAuth'],
        days: 30,
      })),
    );
    const instances = new Instances(kind, pki, dist, links, states);
    for (const index of ports.keys()) instances.launch(index);
    return instances;
  }

  launch(index: number): void {
    const pki = this.#pki;
    const name = this.names[index]!;
    const file = connectionOf(pki, name, this.#links[index]!.port);
    const log = pki.file(`${name}-${++this.#starts}.log`);
    this.logs.push(log);
    this.#processes[index] = startManagerProcess(
      name,
      path.join(this.#dist, this.#kind.main),
      [
        `--kubeconfig=${file}`,
        '--secure-port=0',
        '--orch-api-qps=0',
        '--logging-format=json',
        ...this.#kind.flags(pki),
        ...LEASE,
      ],
      log,
    );
  }

  setLink(index: number, state: LinkState): void {
    this.#states[index] = state;
    this.#links[index]!.update();
  }

  /** Sends SIGSTOP or SIGCONT. */
  freeze(index: number, frozen: boolean): void {
    process.kill(this.#process(index).pid, frozen ? 'SIGSTOP' : 'SIGCONT');
  }

  /** Ends one instance by SIGTERM or by SIGKILL. */
  async end(index: number, how: 'stop' | 'kill'): Promise<void> {
    const ending = this.#process(index);
    this.#processes[index] = undefined;
    if (how === 'stop') return ending.stop();
    process.kill(ending.pid, 'SIGKILL');
    while (ending.exit() === undefined) await sleep(10);
  }

  async stop(): Promise<void> {
    const running = this.#processes.filter((one) => one !== undefined);
    for (const { pid } of running) process.kill(pid, 'SIGCONT');
    await Promise.all(running.map((one) => one.stop()));
    await Promise.all(this.#links.map((link) => link.close()));
  }

  #process(index: number): Background {
    const running = this.#processes[index];
    if (running === undefined) throw new Error(`${this.names[index]} does not run`);
    return running;
  }
}
