import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { type ApiAnswer, apiRequest } from '#scripts/api-request.ts';
import { type Background, startBackground, waitFor } from '#scripts/processes.ts';
import { programToTest } from '#scripts/programs.ts';
import { replicaFlags } from '#scripts/replica-flags.ts';
import { type EtcdProcess, freePort } from '#storage-etcd/testing/etcd-process.ts';
import { testPki } from './replica.ts';

/** The server in separate processes, for tests of behaviour that is only visible from outside. */
export class ReplicaProcess {
  readonly process: Background;
  readonly port: number;

  private constructor(process: Background, port: number) {
    this.process = process;
    this.port = port;
  }

  static launch(etcd: EtcdProcess, ...flags: string[]): Promise<ReplicaProcess> {
    return ReplicaProcess.launchIn({}, etcd, ...flags);
  }

  /** Like {@link launch}, with more variables in its environment. */
  static async launchIn(
    environment: Readonly<Record<string, string>>,
    etcd: EtcdProcess,
    ...flags: string[]
  ): Promise<ReplicaProcess> {
    const port = await freePort();
    const log = path.join(mkdtempSync(path.join(tmpdir(), 'workers-')), 'log');
    const program = programToTest('server/main');
    const known = replicaFlags(createNaming('orch'), testPki(), { etcdServers: etcd.endpoint, port });
    return new ReplicaProcess(
      startBackground('replica', process.execPath, [program.main, ...known, ...flags], log, {
        ...program.environment,
        ...environment,
      }),
      port,
    );
  }

  call(method: string, target: string, body?: unknown, timeoutMs?: number): Promise<ApiAnswer> {
    return apiRequest(testPki(), this.port, method, target, body, timeoutMs);
  }

  /** Sends a request like a client that tries again when its connection is lost. */
  async persistently(method: string, target: string): Promise<ApiAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.call(method, target);
      } catch (error) {
        if (attempt === 2) throw error;
      }
    }
  }

  async ready(): Promise<void> {
    await waitFor(this.process, 60, async () => (await this.call('GET', '/readyz')).status === 200);
  }

  /** Its child processes. */
  get workers(): number[] {
    const file = `/proc/${this.process.pid}/task/${this.process.pid}/children`;
    return readFileSync(file, 'utf8').trim().split(' ').map(Number);
  }

  async metric(line: string): Promise<number> {
    const { body } = await this.persistently('GET', '/metrics');
    const found = body.split('\n').find((candidate) => candidate.startsWith(`${line} `));
    return Number(found?.slice(line.length));
  }

  /** Opens a watch on a separate connection. */
  async watch(target: string): Promise<{ readonly ended: Promise<'clean' | 'cut'>; close(): void }> {
    const pki = testPki();
    const request = https.get({
      host: '127.0.0.1',
      port: this.port,
      path: `${target}?watch=1`,
      agent: false,
      ca: pki.read('ca.crt'),
      cert: pki.read('admin.crt'),
      key: pki.read('admin.key'),
    });
    const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
    const ended = new Promise<'clean' | 'cut'>((resolve) => {
      response.once('end', () => resolve('clean'));
      response.once('error', () => resolve('cut'));
    });
    response.resume();
    return { ended, close: () => request.destroy() };
  }
}
