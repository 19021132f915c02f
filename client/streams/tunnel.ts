import { Duplex } from 'node:stream';
import type { WebSocketConnection } from './web-socket.ts';

/** A stream of bytes that the messages of a web socket carry. */
export class WebSocketTunnel extends Duplex {
  readonly #connection: WebSocketConnection;
  readonly #messages: AsyncGenerator<Buffer, void, void>;
  #reading = false;

  constructor(connection: WebSocketConnection) {
    super();
    this.#connection = connection;
    this.#messages = connection.messages();
  }

  override _read(): void {
    if (this.#reading) return;
    this.#reading = true;
    this.#messages.next().then(
      ({ done, value }) => {
        this.#reading = false;
        if (done === true) this.push(null);
        else if (value!.length === 0) this._read();
        else this.push(value);
      },
      (error: Error) => this.destroy(error),
    );
  }

  override _write(chunk: Buffer, _: string, done: (error?: Error | null) => void): void {
    this.#connection.send(chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#connection.close().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#connection.destroy();
    done(error);
  }
}
