import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { findEtcd } from '#scripts/find-etcd.ts';
import { makePki, type Pki } from '#scripts/pki.ts';
import { type Background, freePort, startBackground, waitFor } from '#scripts/processes.ts';
import { replicaFlags } from '#scripts/replica-flags.ts';
import { startReplicaProcess } from '#scripts/replica-process.ts';
import { Client } from './client.ts';

export interface Replica {
  readonly port: number;
  readonly pid: number;
  readonly process: Background;
  /**
   * The longest time since a moment (`Date.now()`) in which its event loop did not turn, in milliseconds of processor
   * time; 0 if it is not recorded.
   */
  longestStretch(since: number): number;
}

/** The processes of a run, in a separate folder. */
export class Stage {
  /** `NAMING` is the profile, for servers that know only one. */
  readonly naming = createNaming(namingProfiles.find((profile) => profile === process.env['NAMING']) ?? 'orch');
  readonly pki: Pki;
  readonly #directory = mkdtempSync(path.join(tmpdir(), 'bench-'));
  readonly #profiles: string | undefined;
  readonly #notesStretches: boolean;
  readonly #running: Background[] = [];
  #etcdPid = 0;

  /** `profiles`: a folder for processor profiles of the replicas. `notesStretches`: see scripts/loop-probe.ts. */
  constructor(profiles?: string, notesStretches = false) {
    this.pki = makePki(this.#directory, this.naming);
    this.#profiles = profiles;
    this.#notesStretches = notesStretches;
  }

  /** Starts a process that `stop` ends. */
  start(name: string, command: string, args: readonly string[]): Background {
    return this.#started(startBackground(name, command, args, this.#log(name)));
  }

  #log(name: string): string {
    return path.join(this.#directory, `${name}.log`);
  }

  #started(background: Background): Background {
    this.#running.push(background);
    return background;
  }

  /** The process of the etcd that was started last. */
  get etcdPid(): number {
    return this.#etcdPid;
  }

  /** An empty etcd; its URL. */
  async startEtcd(): Promise<string> {
    const [client, peer] = [await freePort(23790), await freePort(23890)];
    const url = `http://127.0.0.1:${client}`;
    const etcd = this.start('etcd', findEtcd(), [
      ...[
        '--data-dir',
        path.join(this.#directory, 'etcd'),
        '--listen-client-urls',
        url,
        '--advertise-client-urls',
        url,
      ],
      ...[
        '--listen-peer-urls',
        `http://127.0.0.1:${peer}`,
        '--initial-advertise-peer-urls',
        `http://127.0.0.1:${peer}`,
      ],
      ...['--initial-cluster', `default=http://127.0.0.1:${peer}`, '--quota-backend-bytes', '8589934592'],
    ]);
    this.#etcdPid = etcd.pid;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return url;
  }

  /** A replica of the build that `BENCH_SERVER` names, or of this one; resolves when it is ready. */
  startServer(etcd: string, ...flags: string[]): Promise<Replica> {
    const main = process.env['BENCH_SERVER'] ?? path.resolve(import.meta.dirname, '../dist/server/main.js');
    return this.startBuild(main, etcd, ...flags);
  }

  /**
   * Starts a replica of the build whose `main.js` is named, or another program with the same interface and flags.
   * Resolves when it is ready.
   */
  async startBuild(main: string, etcd: string, ...flags: string[]): Promise<Replica> {
    const port = await freePort(16443);
    const profiling = this.#profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${this.#profiles}`];
    const own = replicaFlags(this.naming, this.pki, { etcdServers: etcd, port });
    const name = `server-${port}`;
    const loopProbe = this.#log(`${name}-loop`);
    const background = this.#started(
      main.endsWith('.js')
        ? startReplicaProcess(name, main, [...own, ...flags], this.#log(name), {
            nodeFlags: profiling,
            ...(this.#notesStretches && { loopProbe }),
          })
        : startBackground(
            name,
            main,
            // another server may refuse to publish a loopback address as its own
            [...own.filter((flag) => !flag.startsWith('--naming=')), '--endpoint-reconciler-type=none', ...flags],
            this.#log(name),
          ),
    );
    const probe = new Client(this.pki, port, 1);
    await waitFor(background, 60, () =>
      probe.call('GET', '/readyz').then(
        () => true,
        () => false,
      ),
    );
    probe.close();
    const longestStretch = (since: number): number => {
      if (!existsSync(loopProbe)) return 0;
      const noted = JSON.parse(readFileSync(loopProbe, 'utf8')) as { readonly ms: number; readonly at: number }[];
      return noted.find(({ at }) => at > since)?.ms ?? 0;
    };
    return { port, pid: background.pid, process: background, longestStretch };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.reverse().map((background) => background.stop()));
  }
}
