import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CLIENT_AUTH, CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';

const run = promisify(execFile);

/** The interval of readiness checks for started programs, in milliseconds. */
const ASK_EVERY_MS = 100;

/** The number of last log lines that explain why a process ended. */
const LAST_LINES = 8;

/** A program, and the prefix of its messages. */
export interface ScratchProcess {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * A folder and processes for one command. They disappear after the command. Only this user has access, because servers
 * on loopback require the certificate in the folder.
 */
export class Scratch {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'restore-check-'));
  /** The files of the authority and of the one certificate, for servers and clients. */
  readonly caFile = this.file('ca.crt');
  readonly certFile = this.file('own.crt');
  readonly keyFile = this.file('own.key');
  readonly #running: ChildProcess[] = [];
  readonly #signal: AbortSignal;

  /**
   * Runs `work` in a folder that is removed afterwards, even if a signal ends the command. In that case `aborted`
   * rejects.
   */
  static async with<T>(work: (scratch: Scratch, aborted: Promise<never>) => Promise<T>): Promise<T> {
    const interrupted = new AbortController();
    const interrupt = (signal: NodeJS.Signals) => interrupted.abort(new Error(`interrupted by ${signal}`));
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
    const scratch = new Scratch(interrupted.signal);
    const aborted = new Promise<never>((_, reject) => {
      interrupted.signal.addEventListener('abort', () => reject(interrupted.signal.reason));
    });
    // Work that does not await `aborted` still ends, because the signal ends its processes.
    aborted.catch(() => {});
    try {
      return await work(scratch, aborted);
    } finally {
      await scratch.remove();
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    }
  }

  /** @param signal when it aborts, no call waits any more */
  private constructor(signal: AbortSignal) {
    this.#signal = signal;
    const ca = makeAuthority('restore-check-ca');
    const usages = [SERVER_AUTH, CLIENT_AUTH];
    const own = makeCertificate({ subject: [[CN, 'restore-check']], by: ca, usages, ips: ['127.0.0.1'] });
    this.write('ca.crt', ca.pem);
    this.write('own.crt', own.pem);
    this.write('own.key', own.keyPem);
  }

  file(name: string): string {
    return path.join(this.folder, name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.file(name), text, { mode: 0o600 });
  }

  /** Runs a program to its end. Rejects with its output if it fails. */
  async run(command: string, ...args: string[]): Promise<void> {
    await run(command, args, { env: { ...process.env, ETCDCTL_API: '3' }, signal: this.#signal });
  }

  /**
   * Starts a process, and waits until `url` answers 200. Rejects with the last lines of its output if it ends too early
   * or takes too long.
   */
  async start({ name, command, args }: ScratchProcess, url: string, token: string, withinMs: number): Promise<void> {
    const log = this.file(`${name}.log`);
    const output = openSync(log, 'w', 0o600);
    // The process has a separate process group. Ctrl-C reaches only this program, which then ends the process in order.
    const child = spawn(command, args, { stdio: ['ignore', output, output], detached: true });
    closeSync(output);
    this.#running.push(child);
    let failure = '';
    child.once('error', (error) => {
      failure = error.message;
    });
    const giveUpAt = Date.now() + withinMs;
    while (!(await this.#answers(url, token))) {
      const has = failure || (child.exitCode !== null && 'it has ended') || (Date.now() > giveUpAt && 'it is late');
      if (has) {
        const last = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
        throw new Error(`${name} does not become ready: ${has}\n${last}`.trimEnd());
      }
      await sleep(ASK_EVERY_MS, undefined, { signal: this.#signal });
    }
  }

  #answers(url: string, token: string): Promise<boolean> {
    const [ca, cert, key] = [this.caFile, this.certFile, this.keyFile].map((file) => readFileSync(file));
    const headers = { Authorization: `Bearer ${token}` };
    return new Promise((resolve) => {
      const request = https.get(url, { ca, cert, key, headers, agent: false, timeout: 5_000 }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve(false));
    });
  }

  /** Ends all processes, the last one first, and removes the folder. */
  async remove(): Promise<void> {
    for (const child of this.#running.toReversed()) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A port of loopback that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
