import { Duplex } from 'node:stream';
import { ConnectionError } from '../errors.ts';
import { ByteQueue } from './byte-queue.ts';
import { HeaderCoder, type SpdyHeaders } from './spdy-headers.ts';
import { writeTo } from './web-socket.ts';

const VERSION = 0x8003;
const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;

const FIN = 1;
const CANCEL = 5;

/** The longest frame that the session accepts, in bytes. The format allows 16 MiB. */
const LONGEST_FRAME = 4 << 20;
/** The largest number of bytes in a frame that the session sends. */
const FRAME_DATA = 32 << 10;
/** How many bytes may wait for the reader of one stream before the whole connection waits. */
const WAITING_BYTES = 1 << 20;

/** One stream of a connection. Its end closes one direction. `destroy` closes both directions. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #session: SpdySession;
  #taken: (() => void) | undefined;
  #waiting = 0;
  #ended = false;

  constructor(session: SpdySession, id: number, headers: Readonly<Record<string, string>>) {
    super({ readableHighWaterMark: WAITING_BYTES, allowHalfOpen: true });
    this.#session = session;
    this.id = id;
    this.headers = headers;
  }

  /** Resolves when the session may continue reading. */
  deliver(data: Buffer, fin: boolean): Promise<void> | undefined {
    if (this.destroyed || this.#ended) return undefined;
    if (data.length > 0) this.#waiting = this.push(data) ? 0 : 1;
    if (fin) this.finishReading();
    if (this.#waiting === 0) return undefined;
    return new Promise((resolve) => {
      this.#taken = resolve;
    });
  }

  finishReading(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.push(null);
  }

  override _read(): void {
    this.#waiting = 0;
    this.#taken?.();
    this.#taken = undefined;
  }

  override _write(chunk: Buffer, _: string, done: (error?: Error | null) => void): void {
    this.#session.sendData(this.id, chunk, false).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#session.sendData(this.id, Buffer.alloc(0), true).then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#taken?.();
    this.#session.forget(this.id, !(this.#ended && this.writableFinished));
    done(error);
  }
}

interface Opening {
  readonly stream: SpdyStream;
  readonly resolve: (stream: SpdyStream) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Streams over one SPDY 3.1 connection, without SPDY's flow control. The other side does not use flow control either.
 * If the reader of one stream stops reading, the whole connection waits.
 * @param onStream called with each stream that the other side opens. Without it, the session refuses these streams.
 */
export class SpdySession {
  readonly closed: Promise<Error | undefined>;
  readonly #socket: Duplex;
  readonly #coder = new HeaderCoder();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #opening = new Map<number, Opening>();
  readonly #onStream: ((stream: SpdyStream) => void) | undefined;
  #nextId: number;
  #sending: Promise<void> = Promise.resolve();
  #over = false;

  constructor(socket: Duplex, role: 'client' | 'server', onStream?: (stream: SpdyStream) => void) {
    this.#socket = socket;
    this.#nextId = role === 'client' ? 1 : 2;
    this.#onStream = onStream;
    socket.on('error', () => {});
    this.closed = this.#read().then(
      () => undefined,
      (error: Error) => error,
    );
    void this.closed.then((error) => this.#end(error));
  }

  /** Opens a stream. Resolves when the other side has accepted it. */
  async open(headers: SpdyHeaders, fin = false): Promise<SpdyStream> {
    if (this.#over) throw new ConnectionError('the connection is closed', true);
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = new SpdyStream(this, id, {});
    const opened = new Promise<SpdyStream>((resolve, reject) => {
      this.#opening.set(id, { stream, resolve, reject });
    });
    // The other side may refuse the stream before the caller waits for it.
    opened.catch(() => {});
    this.#streams.set(id, stream);
    await this.#send(async () => {
      const block = await this.#coder.encode(headers);
      const body = Buffer.alloc(10);
      body.writeUInt32BE(id);
      return control(SYN_STREAM, fin ? FIN : 0, Buffer.concat([body, block]));
    });
    return opened;
  }

  /** Sends data of a stream, in order. Resolves when the connection can accept more. */
  async sendData(id: number, data: Buffer, fin: boolean): Promise<void> {
    if (this.#over) return;
    let at = 0;
    do {
      const piece = data.subarray(at, at + FRAME_DATA);
      at += piece.length;
      const head = Buffer.alloc(8);
      head.writeUInt32BE(id);
      head.writeUInt32BE((fin && at >= data.length ? FIN << 24 : 0) | piece.length, 4);
      await this.#send(async () => Buffer.concat([head, piece]));
    } while (at < data.length);
  }

  /** Resolves when the other side has answered a ping. */
  async ping(): Promise<void> {
    const body = Buffer.alloc(4);
    body.writeUInt32BE(this.#nextId & 1);
    await this.#send(async () => control(PING, 0, body));
  }

  /** Ends a stream. With `early`, the other side gets a reset. */
  forget(id: number, early: boolean): void {
    if (!this.#streams.delete(id) || !early || this.#over) return;
    const body = Buffer.alloc(8);
    body.writeUInt32BE(id);
    body.writeUInt32BE(CANCEL, 4);
    void this.#send(async () => control(RST_STREAM, 0, body));
  }

  /** Ends the connection after all written bytes were sent. */
  async close(): Promise<void> {
    if (this.#over) return;
    const body = Buffer.alloc(8);
    await this.#send(async () => control(GOAWAY, 0, body));
    this.#socket.end();
    this.#end(undefined);
  }

  destroy(): void {
    this.#socket.destroy();
    this.#end(undefined);
  }

  #end(error: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    const reason = error ?? new ConnectionError('the connection was closed', true);
    for (const { reject } of this.#opening.values()) reject(reason);
    for (const stream of this.#streams.values()) {
      stream.finishReading();
      if (!stream.writableFinished) stream.destroy();
    }
    this.#coder.close();
  }

  /** Frames are sent one after the other, because the compression of headers depends on the earlier frames. */
  #send(make: () => Promise<Buffer>): Promise<void> {
    const sent = this.#sending.then(async () => {
      if (!this.#over) await writeTo(this.#socket, await make());
    });
    this.#sending = sent.catch(() => {});
    return sent;
  }

  async #read(): Promise<void> {
    const queue = new ByteQueue();
    for await (const piece of this.#socket as AsyncIterable<Buffer>) {
      queue.push(piece);
      while (queue.length >= 8) {
        const head = queue.peek(8);
        const [first, word] = [head.readUInt32BE(0), head.readUInt32BE(4)];
        const length = word & 0xffffff;
        if (length > LONGEST_FRAME) throw new ConnectionError('the server sent a frame that is too long', true);
        if (queue.length < 8 + length) break;
        queue.take(8);
        const body = queue.take(length);
        if (first >>> 31 === 1) await this.#control(first & 0xffff, word >>> 24, body);
        else await this.#streams.get(first)?.deliver(body, ((word >>> 24) & FIN) !== 0);
      }
    }
  }

  async #control(type: number, flags: number, body: Buffer): Promise<void> {
    if (type === SYN_STREAM) return this.#opened(body, flags);
    if (type === SYN_REPLY) {
      const id = body.readUInt32BE(0) & 0x7fffffff;
      await this.#coder.decode(body.subarray(4));
      const opening = this.#opening.get(id);
      this.#opening.delete(id);
      opening?.resolve(opening.stream);
      if ((flags & FIN) !== 0) opening?.stream.finishReading();
    } else if (type === RST_STREAM) {
      const id = body.readUInt32BE(0) & 0x7fffffff;
      this.#opening.get(id)?.reject(new ConnectionError('the stream was refused', true));
      this.#opening.delete(id);
      const stream = this.#streams.get(id);
      this.#streams.delete(id);
      stream?.finishReading();
      stream?.destroy();
    } else if (type === PING && (body.readUInt32BE(0) & 1) !== (this.#nextId & 1)) {
      await this.#send(async () => control(PING, 0, body));
    }
  }

  async #opened(body: Buffer, flags: number): Promise<void> {
    const id = body.readUInt32BE(0) & 0x7fffffff;
    const headers = await this.#coder.decode(body.subarray(10));
    if (this.#onStream === undefined) {
      const refused = Buffer.alloc(8);
      refused.writeUInt32BE(id);
      refused.writeUInt32BE(3, 4);
      return this.#send(async () => control(RST_STREAM, 0, refused));
    }
    const stream = new SpdyStream(this, id, headers);
    this.#streams.set(id, stream);
    await this.#send(async () => {
      const lead = Buffer.alloc(4);
      lead.writeUInt32BE(id);
      return control(SYN_REPLY, 0, Buffer.concat([lead, await this.#coder.encode({})]));
    });
    if ((flags & FIN) !== 0) stream.finishReading();
    this.#onStream(stream);
  }
}

function control(type: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(VERSION);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(((flags << 24) | body.length) >>> 0, 4);
  return Buffer.concat([head, body]);
}
