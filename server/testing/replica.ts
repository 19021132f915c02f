import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Logger, pino } from 'pino';
import { createNaming } from '#base/naming/create-naming.ts';
import { makePki, type Pki } from '#scripts/pki.ts';
import { replicaFlags } from '#scripts/replica-flags.ts';
import { freePort } from '#storage-etcd/testing/etcd-process.ts';
import { readServerOptions } from '../config/options.ts';
import { parseFlags } from '../config/parse-flags.ts';
import { startServer } from '../stages/start-server.ts';

/** An answer. If its body is JSON, it is parsed. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any kind
  readonly json: any;
}

export interface TestRequest {
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly raw?: string | Buffer;
  /** A bearer token instead of the administrator's certificate; '' for no credentials. */
  readonly token?: string;
}

/** A replica inside the test's own process. Tests connect to it over TLS. */
export class TestReplica {
  readonly port: number;
  readonly #agent: https.Agent;
  readonly #withoutCertificate: https.Agent;
  readonly #stop: () => Promise<void>;

  constructor(port: number, pki: Pki, stop: () => Promise<void>) {
    this.port = port;
    this.#stop = stop;
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => pki.read(name));
    const common = { keepAlive: true, maxSockets: 64, ca, servername: 'localhost' };
    this.#agent = new https.Agent({ ...common, cert, key });
    this.#withoutCertificate = new https.Agent(common);
  }

  async call(method: string, target: string, request: TestRequest = {}): Promise<TestAnswer> {
    const { bytes, response } = await this.#send(method, target, request);
    const text = bytes.toString();
    const isJson =
      (response.headers['content-type'] ?? '').includes('json') && text !== '' && !target.includes('watch=');
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  }

  /** The body of an answer, unchanged. */
  async bytes(target: string, headers: Record<string, string>): Promise<Buffer> {
    return (await this.#send('GET', target, { headers })).bytes;
  }

  async #send(
    method: string,
    target: string,
    request: TestRequest,
  ): Promise<{ response: IncomingMessage; bytes: Buffer }> {
    const { body, raw, token } = request;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const headers = {
      ...(payload === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
      ...(token === undefined || token === '' ? {} : { Authorization: `Bearer ${token}` }),
      ...request.headers,
    };
    const sent = https.request({
      host: '127.0.0.1',
      port: this.port,
      method,
      path: target,
      headers,
      agent: token === undefined ? this.#agent : this.#withoutCertificate,
    });
    sent.end(payload);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { response, bytes: Buffer.concat(chunks) };
  }

  /** Opens a watch and calls the function for every event. `ended` resolves when the stream has ended. */
  async watch(
    target: string,
    onEvent: (event: { type: string; object: TestAnswer['json'] }) => void,
  ): Promise<{ ended: Promise<void>; close(): void }> {
    const sent = https.request({ host: '127.0.0.1', port: this.port, path: target, agent: this.#agent });
    sent.end();
    sent.on('error', () => {});
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let rest = '';
    response.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') onEvent(JSON.parse(line));
    });
    response.on('error', () => {});
    const ended = new Promise<void>((resolve) => response.once('close', () => resolve()));
    return { ended, close: () => sent.destroy() };
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#withoutCertificate.destroy();
    await this.#stop();
  }
}

/** The naming of test replicas. */
export const testNaming = createNaming('orch');

let sharedPki: Pki | undefined;

/** Certificates for all test replicas of this process. */
export function testPki(): Pki {
  sharedPki ??= makePki(mkdtempSync(path.join(tmpdir(), 'replica-test-')), testNaming);
  return sharedPki;
}

/** Starts a replica on a free port. */
export function startReplica(etcdServers: string, ...flags: string[]): Promise<TestReplica> {
  return startLoggingReplica(pino({ level: 'silent' }), etcdServers, ...flags);
}

/** Like {@link startReplica}, with a log that the test provides. */
export async function startLoggingReplica(log: Logger, etcdServers: string, ...flags: string[]): Promise<TestReplica> {
  const pki = testPki();
  const port = await freePort();
  // A file of authorizers replaces the flag.
  const byFile = flags.some((flag) => flag.startsWith('--authorization-config='));
  const usual = replicaFlags(testNaming, pki, { etcdServers, port });
  const args = [...usual.filter((flag) => !(byFile && flag.startsWith('--authorization-mode='))), ...flags];
  const invocation = parseFlags(args);
  if (!('flags' in invocation)) throw new Error('no server to start');
  const server = await startServer(readServerOptions(invocation.flags), log);
  return new TestReplica(port, pki, () => server.stop());
}
