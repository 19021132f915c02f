import http2 from 'node:http2';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pki } from '#scripts/pki.ts';

/** The pause before a client tries again after a refused connection, or after an answer that is not a stream. */
const AGAIN_MS = 50;

/** The number of bytes that the server may send on a connection of HTTP/2 before the client confirms them. */
const CONNECTION_WINDOW = 1 << 28;

/** The number of watches of a storm. */
export interface StormSize {
  /** The number of connections of HTTP/2, and the number of watches on each. */
  readonly connections: number;
  readonly streams: number;
  /** The number of watches over HTTP/1.1, each on a separate connection. */
  readonly single: number;
}

/** A client that watches one object. It resumes from the last version that it has seen, as reflectors do. */
class Watcher {
  /** The object's counter in each event, in order. */
  readonly seen: number[] = [];
  /** The number of times that its last version was gone, so that it had to list again. */
  relists = 0;
  /** The number of answers that were not a stream (429 or 503). */
  refused = 0;
  /** The port at which its stream is open. */
  at = 0;
  readonly #path: string;
  #version: string;
  #rest = '';

  constructor(path: string, version: string) {
    this.#path = path;
    this.#version = version;
  }

  get target(): string {
    return `${this.#path}?watch=1&allowWatchBookmarks=true&resourceVersion=${this.#version}`;
  }

  /** Reads the stream of an answer. Resolves when it has ended. */
  async follow(status: number, body: Readable, port: number): Promise<void> {
    this.#rest = '';
    body.setEncoding('utf8');
    if (status === 200) this.at = port;
    else if (status === 410) this.relists++;
    else this.refused++;
    body.on('data', (text: string) => {
      if (status === 200) this.#read(text);
    });
    await new Promise<void>((resolve) => body.on('close', () => resolve()).on('error', () => resolve()));
    this.at = 0;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const { type, object } = JSON.parse(line);
      if (type === 'ERROR') {
        this.relists++;
        continue;
      }
      this.#version = object.metadata.resourceVersion;
      if (type !== 'BOOKMARK') this.seen.push(Number(object.data.n));
    }
  }
}

/**
 * Clients that watch one config map at one replica. When this replica ends, they connect to another one at once. They
 * do not wait before the first attempt, which is the worst behaviour of clients.
 */
export class Storm {
  readonly watchers: readonly Watcher[];
  readonly #credentials: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
  readonly #size: StormSize;
  readonly #open = new Set<{ destroy(): unknown }>();
  #port: number;
  #over = false;

  /**
   * @param path the path of the collection that the config map is in
   * @param version the resource version to watch from
   */
  constructor(pki: Pki, port: number, size: StormSize, path: string, version: string) {
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => Buffer.from(pki.read(name)));
    this.#credentials = { ca: ca!, cert: cert!, key: key! };
    this.#size = size;
    this.#port = port;
    const { connections, streams, single } = size;
    this.watchers = Array.from({ length: connections * streams + single }, () => new Watcher(path, version));
  }

  /** Sets the port for the clients' next attempts. */
  turnTo(port: number): void {
    this.#port = port;
  }

  /** The number of open streams at a port. */
  at(port: number): number {
    return this.watchers.filter((watcher) => watcher.at === port).length;
  }

  /** Opens all watches. Resolves when all are open. `within` is the time limit in milliseconds. */
  async start(within: number): Promise<void> {
    const { connections, streams } = this.#size;
    for (let n = 0; n < connections; n++) void this.#connection(this.watchers.slice(n * streams, (n + 1) * streams));
    for (const watcher of this.watchers.slice(connections * streams)) void this.#single(watcher);
    await this.allAt(this.#port, within);
  }

  /**
   * Waits until all streams are open at a port. Resolves to the time until then, in milliseconds.
   *
   * @throws Error after `within` milliseconds
   */
  async allAt(port: number, within: number): Promise<number> {
    const began = performance.now();
    while (this.at(port) < this.watchers.length) {
      if (performance.now() - began > within)
        throw new Error(`${this.at(port)} of ${this.watchers.length} watches are open after ${within} ms`);
      await sleep(10);
    }
    return performance.now() - began;
  }

  /**
   * Waits until each watcher has seen the object count to `n`.
   *
   * @throws Error after `within` milliseconds
   */
  async allSaw(n: number, within: number): Promise<void> {
    const began = performance.now();
    for (;;) {
      const behind = this.watchers.filter(({ seen }) => seen.at(-1) !== n).length;
      if (behind === 0) return;
      if (performance.now() - began > within) throw new Error(`${behind} watchers have not seen ${n}`);
      await sleep(20);
    }
  }

  stop(): void {
    this.#over = true;
    for (const one of this.#open) one.destroy();
  }

  async #single(watcher: Watcher): Promise<void> {
    while (!this.#over) {
      const port = this.#port;
      await new Promise<void>((resolve) => {
        const options = { host: '127.0.0.1', port, path: watcher.target, agent: false, ...this.#credentials };
        const request = https.get(options, (response) => {
          void watcher.follow(response.statusCode ?? 0, response, port).then(resolve);
        });
        this.#open.add(request);
        request.on('error', () => resolve()).on('close', () => this.#open.delete(request));
      });
      if (port === this.#port) await sleep(AGAIN_MS);
    }
  }

  async #connection(watchers: readonly Watcher[]): Promise<void> {
    while (!this.#over) {
      const port = this.#port;
      await new Promise<void>((resolve) => {
        const session = http2.connect(`https://127.0.0.1:${port}`, {
          ...this.#credentials,
          servername: 'localhost',
          settings: { initialWindowSize: 1 << 20 },
        });
        this.#open.add(session);
        session.on('connect', () => {
          session.setLocalWindowSize(CONNECTION_WINDOW);
          for (const watcher of watchers) void this.#stream(session, watcher, port);
        });
        session
          .on('error', () => {})
          .on('close', () => {
            this.#open.delete(session);
            resolve();
          });
      });
      if (port === this.#port) await sleep(AGAIN_MS);
    }
  }

  async #stream(session: http2.ClientHttp2Session, watcher: Watcher, port: number): Promise<void> {
    while (!this.#over && !session.closed && !session.destroyed) {
      const stream = session.request({ ':path': watcher.target });
      let status = 0;
      stream.on('response', (head) => {
        status = head[':status'] ?? 0;
        void follow();
      });
      const follow = (): Promise<void> => watcher.follow(status, stream, port);
      await new Promise<void>((resolve) => stream.on('close', () => resolve()).on('error', () => resolve()));
      watcher.at = 0;
      if (!session.closed && !session.destroyed) await sleep(AGAIN_MS);
    }
  }
}
