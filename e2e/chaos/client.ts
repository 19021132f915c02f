import https from 'node:https';
import type { Pki } from '#scripts/pki.ts';

/** An answer with its body parsed. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any kind
  readonly body: any;
  /** Milliseconds of `performance.now()`, before the request was sent and after the answer arrived. */
  readonly called: number;
  readonly returned: number;
}

/** A request without an answer. Its connection failed, or the client stopped waiting. */
export class NoAnswer extends Error {
  readonly called: number;
  readonly returned = performance.now();

  constructor(message: string, called: number) {
    super(message);
    this.name = 'NoAnswer';
    this.called = called;
  }
}

/** The time for which a client waits, in milliseconds. */
const PATIENCE = 8000;

/** A client that keeps its own connections. */
export class Client {
  readonly name: string;
  readonly #agent: https.Agent;

  constructor(name: string, pki: Pki) {
    this.name = name;
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((file) => pki.read(file));
    this.#agent = new https.Agent({ keepAlive: true, ca, cert, key });
  }

  /**
   * Sends a request to the replica at a port.
   *
   * @throws NoAnswer if the connection fails or the time is over
   */
  async call(
    port: number,
    method: string,
    path: string,
    body?: unknown,
    mediaType = 'application/json',
  ): Promise<Answer> {
    const called = performance.now();
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => reject(new NoAnswer(error.message, called));
      const headers =
        payload === undefined ? {} : { 'Content-Type': mediaType, 'Content-Length': Buffer.byteLength(payload) };
      const request = https.request(
        { host: '127.0.0.1', port, method, path, headers, agent: this.#agent, signal: AbortSignal.timeout(PATIENCE) },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', fail);
          response.once('aborted', () => fail(new Error('the answer was cut off')));
          response.once('end', () => {
            const text = Buffer.concat(chunks).toString();
            const answered = { status: response.statusCode ?? 0, called, returned: performance.now() };
            try {
              resolve({ ...answered, body: JSON.parse(text) });
            } catch {
              fail(new Error(`${answered.status} with a body that is not JSON: ${text.slice(0, 200)}`));
            }
          });
        },
      );
      request.once('error', fail);
      request.end(payload);
    });
  }

  /**
   * Opens a watch and calls `onEvent` with every event and the time of its arrival. Resolves to the HTTP status when
   * the watch has ended, or to 0 without an answer. It never rejects.
   */
  watch(port: number, path: string, onEvent: (event: unknown, at: number) => void, stop: AbortSignal): Promise<number> {
    return new Promise((resolve) => {
      let status = 0;
      const end = () => resolve(status);
      // A frozen replica may never send the first bytes. Later bytes may be slow.
      const answered = new AbortController();
      const impatient = setTimeout(() => answered.abort(), PATIENCE);
      const signal = AbortSignal.any([stop, answered.signal]);
      const request = https.get({ host: '127.0.0.1', port, path, agent: this.#agent, signal }, (response) => {
        clearTimeout(impatient);
        status = response.statusCode ?? 0;
        let rest = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          const at = performance.now();
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) if (line !== '' && status === 200) onEvent(JSON.parse(line), at);
        });
        response.once('error', end);
        response.once('close', end);
      });
      request.once('error', end);
      request.once('close', () => clearTimeout(impatient));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
