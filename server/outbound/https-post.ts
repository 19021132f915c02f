import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { atMoment } from '../base/at-moment.ts';
import { checkNamed } from '../connection/named-certificate.ts';
import { type CountedCall, notCounted } from './call-metrics.ts';

/** One POST to a webhook. Certificates and keys are PEM texts. */
export interface Post {
  readonly host: string;
  readonly port: number;
  /** With the query. */
  readonly path: string;
  /** The name in the server's certificate, where it is not `host`. */
  readonly serverName: string | undefined;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Gives the call up. */
  readonly signal: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** An answer holds a patch at the most, and what a patch makes is no larger than a request: 3 MiB, in base64. */
const MAX_ANSWER = 6 << 20;
const MAX_SOCKETS_PER_SERVER = 64;
const MAX_SOCKETS = 512;
const MAX_IDLE_PER_SERVER = 8;
const IDLE_MS = 30_000;

/** Posts to webhooks over TLS connections that are kept open; servers with other certificates have their own. */
export class HttpsPoster {
  readonly #agent = new https.Agent({
    checkServerIdentity: checkNamed,
    keepAlive: true,
    maxSockets: MAX_SOCKETS_PER_SERVER,
    maxTotalSockets: MAX_SOCKETS,
    maxFreeSockets: MAX_IDLE_PER_SERVER,
    timeout: IDLE_MS,
    scheduling: 'lifo',
  });
  readonly #counted: CountedCall;

  constructor(counted: CountedCall = notCounted) {
    this.#counted = counted;
  }

  /** Rejects on anything but a complete answer in time. */
  post(post: Post): Promise<PostAnswer> {
    const { headers, host, port, body } = post;
    return this.#counted({ method: 'POST', host: headers['Host'] ?? `${host}:${port}`, body }, () => this.#post(post));
  }

  async #post(post: Post): Promise<PostAnswer> {
    const deadline = performance.now() + post.timeoutMs;
    try {
      return await this.#once(post, deadline);
    } catch (error) {
      // the other side closed a kept connection just when it was used again
      if (!(error instanceof StaleConnection)) throw error;
      return this.#once(post, deadline);
    }
  }

  #once(post: Post, deadline: number): Promise<PostAnswer> {
    const { host, port, path, serverName, ca, cert, key, headers, body, signal } = post;
    return new Promise((resolve, reject) => {
      if (signal.aborted) throw new Error('context canceled');
      const request = https.request({
        agent: this.#agent,
        method: 'POST',
        host,
        port,
        path,
        headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) },
        ...(serverName !== undefined && { servername: serverName }),
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      });
      const abort = (): void => {
        request.destroy(new Error('context canceled'));
      };
      // whoever has as much time as this call finds it over when this one is given up
      const callOff = atMoment(deadline, () => request.destroy(new Error('context deadline exceeded')));
      signal.addEventListener('abort', abort);
      const settled = (): void => {
        callOff();
        signal.removeEventListener('abort', abort);
      };
      request.once('close', settled);
      let answered = false;
      request.on('error', (error: NodeJS.ErrnoException) => {
        const stale = request.reusedSocket && !answered && error.code === 'ECONNRESET';
        reject(stale ? new StaleConnection() : error);
      });
      request.once('response', (response) => {
        answered = true;
        readAnswer(response).then(resolve, (error: Error) => {
          reject(error);
          request.destroy();
        });
      });
      request.end(body);
    });
  }
}

class StaleConnection extends Error {}

async function readAnswer(response: IncomingMessage): Promise<PostAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER) throw new Error(`the answer is longer than ${MAX_ANSWER} bytes`);
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks) };
}
