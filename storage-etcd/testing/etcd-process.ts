import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The range of ports that each process with tests has for itself. It is below the range that the system uses for
 * connections.
 */
const PORTS_OF_A_WORKER = 2500;
const firstPort = 10_000 + (Number(process.env['MOCHA_WORKER_ID'] ?? process.pid) % 9) * PORTS_OF_A_WORKER;
let portsGiven = process.pid % PORTS_OF_A_WORKER;

/** A free loopback port that no test file in another process uses. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + (portsGiven++ % PORTS_OF_A_WORKER);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** The files (PEM) of an etcd that presents a certificate and requires one from its clients. */
export interface MutualTls {
  readonly caFile: string;
  /** The certificate for servers and clients. The readiness check uses it too. */
  readonly certFile: string;
  readonly keyFile: string;
}

export interface EtcdOptions {
  /** More flags for etcd. */
  readonly flags?: readonly string[];
  readonly clientPort?: number;
  readonly name?: string;
  /** The folder in which the folder of its data is created; by default that of temporary files. */
  readonly disk?: string;
  /**
   * Serves clients over TLS: with a certificate that etcd makes itself, or with these files and only for clients with a
   * certificate.
   */
  readonly tls?: boolean | MutualTls;
  /** The initial data of a single member, as {@link EtcdProcess.stop} keeps it. By default there is no data. */
  readonly data?: string;
}

/**
 * How long a single member with data waits for other members at its start, in milliseconds. There are no others, so
 * less than a second.
 */
const ALONE = ['--heartbeat-interval=10', '--election-timeout=100'];

/** One real etcd (`$ETCD`, or `etcd` on PATH) on loopback. Its data is in a temporary directory. */
export class EtcdProcess {
  readonly endpoint: string;
  readonly #args: readonly string[];
  readonly #directory: string;
  readonly #tls: MutualTls | undefined;
  #process: ChildProcess | undefined;

  private constructor(endpoint: string, args: readonly string[], directory: string, tls: MutualTls | undefined) {
    this.endpoint = endpoint;
    this.#tls = tls;
    this.#args = args;
    this.#directory = directory;
  }

  /** Prepares a member without starting it; a single member unless the flags say otherwise. */
  static async prepare(options: EtcdOptions = {}): Promise<EtcdProcess> {
    const directory = await mkdtemp(join(options.disk ?? tmpdir(), 'etcd-test-'));
    if (options.data !== undefined) await cp(options.data, directory, { recursive: true });
    const scheme = options.tls ? 'https' : 'http';
    const endpoint = `${scheme}://127.0.0.1:${options.clientPort ?? (await freePort())}`;
    const flags = options.flags ?? [];
    const args = [
      `--name=${options.name ?? 'default'}`,
      `--data-dir=${directory}`,
      `--listen-client-urls=${endpoint}`,
      `--advertise-client-urls=${endpoint}`,
      '--log-level=error',
      '--unsafe-no-fsync',
      ...tlsFlags(options.tls),
      ...flags,
    ];
    if (!flags.some((flag) => flag.startsWith('--listen-peer-urls='))) {
      const peer = `http://127.0.0.1:${await freePort()}`;
      args.push(
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=default=${peer}`,
        ...ALONE,
      );
    }
    return new EtcdProcess(endpoint, args, directory, typeof options.tls === 'object' ? options.tls : undefined);
  }

  /** A single member that answers. If another test takes its ports first, the function tries again. */
  static async start(options: EtcdOptions = {}): Promise<EtcdProcess> {
    for (let tries = 1; ; tries++) {
      const etcd = await EtcdProcess.prepare(options);
      try {
        await etcd.restart();
        return etcd;
      } catch (error) {
        await etcd.stop();
        if (tries === 3 || options.clientPort !== undefined) throw error;
      }
    }
  }

  /** Starts the process without waiting for it to answer. */
  launch(): void {
    this.#process = spawn(process.env['ETCD'] ?? 'etcd', this.#args, { stdio: 'ignore' });
  }

  /** Starts it (again) on the same data and waits until it answers. */
  async restart(): Promise<void> {
    this.launch();
    await this.ready();
  }

  /**
   * Resolves when `/health` says so.
   *
   * @throws after 15 s or when the process has ended
   */
  async ready(): Promise<void> {
    const giveUpAt = Date.now() + 15_000;
    for (;;) {
      if (this.#process?.exitCode !== null) {
        throw new Error(`etcd ended with ${this.#process?.exitCode}`);
      }
      if (await isHealthy(`${this.endpoint}/health`, this.#tls)) return;
      if (Date.now() > giveUpAt) throw new Error('etcd does not become healthy');
      await sleep(25);
    }
  }

  /**
   * Copies the data of a member that does not run. The returned function restores the data, like a copy of the disk.
   */
  async copyData(): Promise<() => Promise<void>> {
    const copy = await mkdtemp(join(tmpdir(), 'etcd-copy-'));
    await cp(this.#directory, copy, { recursive: true });
    return async () => {
      await rm(this.#directory, { recursive: true, force: true });
      await rename(copy, this.#directory);
    };
  }

  /**
   * Replaces its data by the data that `make` writes into a folder that does not exist yet; by default the folder is
   * empty. The member must not run.
   */
  async remake(make: (directory: string) => Promise<unknown> = (directory) => mkdir(directory)): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
    await make(this.#directory);
  }

  /** All bytes of the member's non-empty files on disk: the database, the write-ahead log and the snapshots. */
  async bytesOnDisk(): Promise<Buffer> {
    const entries = await readdir(this.#directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return Buffer.concat(await Promise.all(files.map(({ parentPath, name }) => readWritten(join(parentPath, name)))));
  }

  /** The certificate (PEM) that the member made for itself. */
  certificate(): Promise<Buffer> {
    return readFile(join(this.#directory, 'fixtures', 'client', 'cert.pem'));
  }

  /** SIGSTOP: connections stay open without answers. Resolves when every thread has stopped. */
  async freeze(): Promise<void> {
    const pid = this.#process?.pid;
    this.#process?.kill('SIGSTOP');
    while (pid !== undefined && !(await standsStill(pid))) await sleep(1);
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  /** Whether the process has ended, by itself or by a signal. */
  get ended(): boolean {
    const { exitCode, signalCode } = this.#process ?? {};
    return exitCode !== null || signalCode !== null;
  }

  /** Ends the process at once and keeps the data. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running && running.exitCode === null && running.signalCode === null) {
      const exited = once(running, 'exit');
      running.kill('SIGKILL');
      await exited;
    }
  }

  /** Ends the process and removes the data. With a folder, it copies the data there first. */
  async stop(keepIn?: string): Promise<void> {
    await this.kill();
    if (keepIn !== undefined) await cp(this.#directory, keepIn, { recursive: true });
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** A file without its zero bytes: the files of a log are much larger than their content. */
async function readWritten(file: string): Promise<Buffer> {
  const stretch = Buffer.alloc(1024 * 1024);
  const empty = Buffer.alloc(stretch.length);
  const written: Buffer[] = [];
  const handle = await open(file);
  try {
    for (;;) {
      const { bytesRead } = await handle.read(stretch);
      if (bytesRead === 0) return Buffer.concat(written);
      if (stretch.compare(empty, 0, bytesRead, 0, bytesRead) !== 0)
        written.push(Buffer.from(stretch.subarray(0, bytesRead)));
    }
  } finally {
    await handle.close();
  }
}

/** Whether no thread of a process runs, because each is stopped or has ended. */
async function standsStill(pid: number): Promise<boolean> {
  const tasks = `/proc/${pid}/task`;
  const states = (await readdir(tasks).catch(() => [])).map(async (task) => {
    const stat = await readFile(join(tasks, task, 'stat'), 'latin1').catch(() => ') T');
    return stat.startsWith(') T', stat.lastIndexOf(')'));
  });
  return (await Promise.all(states)).every(Boolean);
}

function tlsFlags(tls: EtcdOptions['tls']): string[] {
  if (typeof tls !== 'object') return tls ? ['--auto-tls'] : [];
  const { caFile, certFile, keyFile } = tls;
  return [`--cert-file=${certFile}`, `--key-file=${keyFile}`, `--trusted-ca-file=${caFile}`, '--client-cert-auth'];
}

/** Whether the server at the address, of any kind, answers 200. */
function isHealthy(url: string, tls: MutualTls | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const get = url.startsWith('https:') ? httpsGet : httpGet;
    const shown = tls && { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
    const request = get(url, { timeout: 1_000, rejectUnauthorized: false, agent: false, ...shown }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
