import https from 'node:https';
import type { Pki } from '#scripts/pki.ts';

/** An answer with its body, which is discarded unless requested. */
export interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Whether to keep the text of the answer. */
  readonly text?: boolean;
}

/** A client of one server over keep-alive TLS connections. */
export class Client {
  readonly #agent: https.Agent;
  readonly #port: number;
  readonly #credentials: Readonly<Record<string, string>>;

  /** The client uses the administrator's certificate, or a token instead. */
  constructor(pki: Pki, port: number, sockets: number, token?: string) {
    this.#port = port;
    this.#credentials = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    this.#agent = new https.Agent({
      keepAlive: true,
      maxSockets: sockets,
      ca: pki.read('ca.crt'),
      ...(token === undefined ? { cert: pki.read('admin.crt'), key: pki.read('admin.key') } : {}),
      servername: 'localhost',
    });
  }

  /** Sends one request. Rejects on answers of 400 and above. */
  call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const body = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body));
    const headers = {
      Accept: 'application/json',
      'User-Agent': 'bench/1',
      ...this.#credentials,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': body.length }),
      ...options.headers,
    };
    return new Promise((resolve, reject) => {
      const request = https.request(
        { host: '127.0.0.1', port: this.#port, method, path, headers, agent: this.#agent },
        (response) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (options.text === true || (response.statusCode ?? 500) >= 400) chunks.push(chunk);
          });
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const status = response.statusCode ?? 0;
            if (status >= 400) reject(new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`));
            else resolve({ status, bytes, text });
          });
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  /** Opens a watch; `onLine` is called for each event. Resolves when the stream has begun. */
  watch(path: string, onLine: () => void): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const request = https.request(
        { host: '127.0.0.1', port: this.#port, path, headers: { Accept: 'application/json' }, agent: this.#agent },
        (response) => {
          response.on('data', (chunk: Buffer) => {
            for (const byte of chunk) if (byte === 10) onLine();
          });
          resolve(() => request.destroy());
        },
      );
      request.on('error', reject);
      request.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
