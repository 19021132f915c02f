import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly target: Socket;
  /** The first bytes of the client. */
  opening: string;
  /** Bytes of the client that the target has not received. */
  readonly held: Buffer[];
}

/**
 * A loopback TCP proxy that loses data on purpose: whole connections, or the bytes of one direction.
 */
export class CutProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #refused: (opening: string) => boolean;
  /** Whether bytes of the target are dropped. */
  #muted = false;
  /** New connections are closed at once, and old ones were closed. */
  #severed = false;
  /** Requests are kept back. */
  #holding = false;
  /** Nothing moves in either direction. */
  #frozen = false;
  #answeredBytes = 0;

  private constructor(server: Server, port: number, refused: (opening: string) => boolean) {
    this.#server = server;
    this.port = port;
    this.#refused = refused;
  }

  /** Forwards to a port on loopback, except for clients whose first bytes are refused. */
  static async start(targetPort: number, refused: (opening: string) => boolean = () => false): Promise<CutProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const proxy = new CutProxy(server, address.port, refused);
    server.on('connection', (client) => proxy.#connect(client, targetPort));
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** How many bytes of answers have come through. */
  get answeredBytes(): number {
    return this.#answeredBytes;
  }

  /** Drops all answers from now on: requests arrive and are processed, and the client gets nothing. */
  mute(): void {
    this.#muted = true;
  }

  unmute(): void {
    this.#muted = false;
  }

  /** Holds back all data that clients send from now on. */
  hold(): void {
    this.#holding = true;
  }

  /** Whether something is kept back. */
  get holdsSomething(): boolean {
    return [...this.#pairs].some(({ held }) => held.length > 0);
  }

  /** Whether a text is among the held bytes. */
  keepsBack(text: string): boolean {
    return [...this.#pairs].some(({ held }) => Buffer.concat(held).includes(text));
  }

  /** Cuts the clients off, which reconnect. Their bytes are still in flight until `deliver`. */
  strand(): void {
    this.#holding = false;
    for (const { client, held } of this.#pairs) {
      if (held.length > 0) client.destroy();
    }
  }

  /** Delivers the held bytes. */
  deliver(): void {
    for (const { target, held } of this.#pairs) {
      for (const chunk of held.splice(0)) target.write(chunk);
    }
  }

  /** From now on no bytes pass in either direction, and none are lost, as if the network stood still. */
  freeze(): void {
    this.#frozen = true;
    for (const pair of this.#pairs) this.#flow(pair);
  }

  thaw(): void {
    this.#frozen = false;
    for (const pair of this.#pairs) this.#flow(pair);
  }

  /** Cuts all connections, or those of some clients; new ones work. */
  cut(which: (opening: string) => boolean = () => true): void {
    for (const { client, target, opening } of this.#pairs) {
      if (which(opening)) {
        client.destroy();
        target.destroy();
      }
    }
  }

  /** Cuts all connections and accepts no new ones until `heal`. */
  sever(): void {
    this.#severed = true;
    this.cut();
  }

  heal(): void {
    this.#severed = false;
  }

  async close(): Promise<void> {
    this.sever();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Lets the data of a connection pass, or stops it. */
  #flow({ client, target }: Pair): void {
    for (const socket of [client, target]) {
      if (this.#frozen) socket.pause();
      else socket.resume();
    }
  }

  #connect(client: Socket, targetPort: number): void {
    client.on('error', () => {});
    if (this.#severed) {
      client.destroy();
      return;
    }
    const target = connect(targetPort, '127.0.0.1');
    const pair: Pair = { client, target, opening: '', held: [] };
    this.#pairs.add(pair);
    const close = () => {
      if (pair.held.length > 0 && !target.destroyed) return;
      this.#pairs.delete(pair);
      client.destroy();
      target.destroy();
    };
    client.on('close', close);
    target.on('close', close);
    target.on('error', () => {});
    client.on('data', (chunk) => {
      if (pair.opening === '') {
        pair.opening = chunk.toString('latin1');
        if (this.#refused(pair.opening)) {
          close();
          return;
        }
      }
      if (this.#holding) {
        pair.held.push(chunk);
      } else if (!target.write(chunk)) {
        client.pause();
        target.once('drain', () => this.#flow(pair));
      }
    });
    target.on('data', (chunk) => {
      if (this.#muted || client.destroyed) return;
      this.#answeredBytes += chunk.length;
      if (!client.write(chunk)) {
        target.pause();
        client.once('drain', () => this.#flow(pair));
      }
    });
    this.#flow(pair);
  }
}
