import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * The state of a connection. `cut` means that connections are reset and refused. `stalled` means that bytes do not
 * arrive until later, because TCP repeats them.
 */
export type LinkState = 'open' | 'cut' | 'stalled';

interface Pair {
  readonly client: Socket;
  /** The first bytes from the client, which may identify it. */
  readonly opening: Buffer;
  target: Socket | undefined;
}

/** A loopback TCP proxy before one listener. It simulates the network between the listener and its clients. */
export class Link {
  readonly port: number;
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #stateFor: (opening: string) => LinkState;
  readonly #pairs = new Set<Pair>();
  readonly #waiting = new Set<Socket>();

  private constructor(server: Server, port: number, targetPort: number, stateFor: (opening: string) => LinkState) {
    this.#server = server;
    this.port = port;
    this.#targetPort = targetPort;
    this.#stateFor = stateFor;
  }

  /**
   * `stateFor` returns the state of a connection from its first bytes. Call `update` when its results change.
   */
  static async start(targetPort: number, stateFor: (opening: string) => LinkState): Promise<Link> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const link = new Link(server, address.port, targetPort, stateFor);
    server.on('connection', (client) => link.#accept(client));
    return link;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Determines the state of every connection again. */
  update(): void {
    for (const pair of this.#pairs) this.#apply(pair);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#waiting) socket.destroy();
    for (const { client, target } of this.#pairs) {
      client.destroy();
      target?.destroy();
    }
    await closed;
  }

  #accept(client: Socket): void {
    client.on('error', () => {});
    this.#waiting.add(client);
    client.once('close', () => this.#waiting.delete(client));
    client.once('data', (opening: Buffer) => {
      client.pause();
      this.#waiting.delete(client);
      const pair: Pair = { client, opening, target: undefined };
      this.#pairs.add(pair);
      client.once('close', () => {
        this.#pairs.delete(pair);
        pair.target?.destroy();
      });
      this.#apply(pair);
    });
  }

  #apply(pair: Pair): void {
    const { client, opening } = pair;
    const state = this.#stateFor(opening.toString('latin1'));
    if (state === 'cut') {
      client.resetAndDestroy();
      pair.target?.resetAndDestroy();
      return;
    }
    if (state === 'stalled') {
      // The kernel keeps unread bytes, and also the end of the stream from the other side.
      if (pair.target !== undefined) {
        client.unpipe(pair.target);
        pair.target.unpipe(client);
      }
      return;
    }
    if (pair.target === undefined) {
      const target = connect(this.#targetPort, '127.0.0.1');
      target.setNoDelay(true);
      client.setNoDelay(true);
      target.on('error', () => {});
      target.once('close', () => client.destroy());
      target.write(opening);
      pair.target = target;
    }
    // A second pipe to the same place would write everything twice.
    client.unpipe(pair.target).pipe(pair.target);
    pair.target.unpipe(client).pipe(client);
  }
}
