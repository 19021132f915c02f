import { Duplex } from 'node:stream';

/** The number of bytes that may wait on each side before the other side stops writing. */
const HIGH_WATER_MARK = 64 * 1024;

/**
 * One end of a connection inside this process. The other end reads the bytes that are written at one end. It has the
 * members that Node.js and undici require of a socket. It needs no descriptors and no encryption.
 */
export class InnerConnection extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  /** The certificate of the other end, as DER. */
  readonly #certificate: Buffer | undefined;
  #other!: InnerConnection;
  /** Set while the other end has not read everything yet. */
  #taken: (() => void) | undefined;

  private constructor(certificate?: Buffer) {
    super({ highWaterMark: HIGH_WATER_MARK, allowHalfOpen: true });
    this.#certificate = certificate;
  }

  /**
   * Both ends of a new connection.
   *
   * @param certificate the client's certificate as DER, which the server's end reports. Nothing proves that the client
   * has its key, because both ends are in this process.
   */
  static pair(certificate?: Buffer): { readonly client: InnerConnection; readonly server: InnerConnection } {
    const client = new InnerConnection();
    const server = new InnerConnection(certificate);
    client.#other = server;
    server.#other = client;
    return { client, server };
  }

  /** Like the method of a TLS socket: empty if the other end has no certificate. */
  getPeerCertificate(): { readonly raw?: Buffer } {
    return this.#certificate === undefined ? {} : { raw: this.#certificate };
  }

  /** Ends the connection when all written data has been passed on. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    const taken = this.#other.#taken;
    this.#other.#taken = undefined;
    taken?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    const other = this.#other;
    if (other.destroyed) done(trouble('EPIPE', 'the other end is closed'));
    else if (other.push(chunk)) done();
    else this.#taken = done;
  }

  override _final(done: (error?: Error) => void): void {
    if (!this.#other.destroyed) this.#other.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other;
    const taken = other.#taken;
    other.#taken = undefined;
    taken?.();
    // Bytes that were passed on before are read first.
    if (!this.writableFinished && !other.destroyed)
      setImmediate(() => other.destroy(trouble('ECONNRESET', 'the other end has gone')));
    done(error);
  }
}

function trouble(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
