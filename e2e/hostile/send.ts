import https from 'node:https';
import { gunzipSync } from 'node:zlib';
import type { Pki } from '#scripts/pki.ts';
import type { HostileRequest } from './make-request.ts';

/** An answer, or the reason why there is none. */
export interface Outcome {
  /** 0 means that the connection ended without an answer. */
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  readonly milliseconds: number;
}

/** Sends requests over connections that it reuses, as the three users of a PKI folder. */
export class Sender {
  readonly port: number;
  readonly #agents: Readonly<Record<HostileRequest['as'], https.Agent>>;
  readonly #token: string;

  constructor(pki: Pki, port: number) {
    this.port = port;
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => pki.read(name));
    const common = { keepAlive: true, maxSockets: 16, ca, servername: 'localhost' };
    const plain = new https.Agent(common);
    this.#agents = { admin: new https.Agent({ ...common, cert, key }), user: plain, anonymous: plain };
    this.#token = /^([^,]*),bob,/m.exec(pki.read('tokens.csv'))?.[1] ?? '';
  }

  send({ as, method, target, headers, body }: HostileRequest): Promise<Outcome> {
    const started = performance.now();
    return new Promise((resolve) => {
      const end = (status: number, type: string, body: Buffer): void =>
        resolve({ status, type, body, milliseconds: performance.now() - started });
      const none = (error: Error): void => end(0, error.message, Buffer.alloc(0));
      const request = https.request({
        host: '127.0.0.1',
        port: this.port,
        method,
        path: target,
        agent: this.#agents[as],
        headers: {
          ...(as === 'user' && { Authorization: `Bearer ${this.#token}` }),
          ...headers,
          ...(body !== undefined && { 'Content-Length': body.length }),
        },
      });
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', none);
        response.once('end', () => {
          const whole = Buffer.concat(chunks);
          const body = response.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole;
          end(response.statusCode ?? 0, response.headers['content-type'] ?? '', body);
        });
      });
      request.once('error', none);
      request.end(body);
    });
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}
