import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ConnectionError } from '../errors.ts';
import { ByteQueue } from './byte-queue.ts';

const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** The longest message that the client accepts, in bytes. Servers send much shorter messages. */
const LONGEST_MESSAGE = 32 << 20;

/** Status codes of a close (RFC 6455, 7.4.1). */
const NORMAL = 1000;
const NONE = 1005;
const TOO_BIG = 1009;

/** A key for a handshake. */
export function newKey(): string {
  return randomBytes(16).toString('base64');
}

/** The answer of a server to a key. */
export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/**
 * An upgraded connection as messages (RFC 6455). `client` masks its messages, as clients must. It reads from the
 * connection only when the caller takes messages.
 */
export class WebSocketConnection {
  readonly #socket: Duplex;
  readonly #client: boolean;
  #closing = false;

  constructor(socket: Duplex, client: boolean) {
    this.#socket = socket;
    this.#client = client;
    // The reader gets the error that breaks the connection.
    socket.on('error', () => {});
  }

  /** Sends a message. Resolves when the connection can take more. After the end it does nothing. */
  async send(message: Buffer): Promise<void> {
    if (this.#closing) return;
    await this.#write(BINARY, message);
  }

  async ping(): Promise<void> {
    if (!this.#closing) await this.#write(PING, Buffer.alloc(0));
  }

  /**
   * The messages until the other side closes. @throws ConnectionError if the connection breaks, or is closed with an
   * error
   */
  async *messages(): AsyncGenerator<Buffer, void, void> {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const { opcode, final, payload } of this.#frames()) {
      if (opcode === PING) {
        if (!this.#closing) await this.#write(PONG, payload);
      } else if (opcode === CLOSE) {
        const code = payload.length >= 2 ? payload.readUInt16BE(0) : NONE;
        const reason = payload.subarray(2).toString();
        await this.close();
        if (code !== NORMAL && code !== NONE)
          throw new ConnectionError(`websocket: close ${code}${reason === '' ? '' : `: ${reason}`}`, true);
        return;
      } else if (opcode === BINARY || opcode === TEXT || opcode === CONTINUATION) {
        length += payload.length;
        if (length > LONGEST_MESSAGE) {
          await this.close(TOO_BIG);
          throw new ConnectionError('the server sent a message that is too long', true);
        }
        parts.push(payload);
        if (!final) continue;
        yield parts.length === 1 ? parts[0]! : Buffer.concat(parts);
        parts.length = 0;
        length = 0;
      }
    }
    if (!this.#closing) throw new ConnectionError('the connection was closed: unexpected EOF', true);
  }

  /** Sends a close frame and ends the connection. */
  async close(code = NORMAL): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    await this.#write(CLOSE, payload);
    this.#socket.end();
  }

  /** Ends the connection at once. */
  destroy(): void {
    this.#closing = true;
    this.#socket.destroy();
  }

  async #write(opcode: number, payload: Buffer): Promise<void> {
    const { length } = payload;
    const extended = length < 126 ? 0 : length < 1 << 16 ? 2 : 8;
    const head = Buffer.alloc(2 + extended + (this.#client ? 4 : 0));
    head[0] = 0x80 | opcode;
    head[1] = (this.#client ? 0x80 : 0) | (extended === 0 ? length : extended === 2 ? 126 : 127);
    if (extended === 2) head.writeUInt16BE(length, 2);
    if (extended === 8) head.writeBigUInt64BE(BigInt(length), 2);
    let body = payload;
    if (this.#client) {
      const mask = randomBytes(4);
      mask.copy(head, 2 + extended);
      body = masked(payload, mask);
    }
    await writeTo(this.#socket, Buffer.concat([head, body]));
  }

  async *#frames(): AsyncGenerator<{ opcode: number; final: boolean; payload: Buffer }, void, void> {
    const queue = new ByteQueue();
    try {
      for await (const piece of this.#socket as AsyncIterable<Buffer>) {
        queue.push(piece);
        for (let frame = readFrame(queue); frame !== undefined; frame = readFrame(queue)) yield frame;
      }
    } catch (error) {
      if (!this.#closing) throw new ConnectionError((error as Error).message, true, { cause: error });
    }
  }
}

/** The next frame; undefined while the frame is incomplete. */
function readFrame(queue: ByteQueue): { opcode: number; final: boolean; payload: Buffer } | undefined {
  if (queue.length < 2) return undefined;
  const [first, second] = [...queue.peek(2)] as [number, number];
  let length = second & 0x7f;
  const extended = length === 126 ? 2 : length === 127 ? 8 : 0;
  const hasMask = (second & 0x80) !== 0;
  const start = 2 + extended + (hasMask ? 4 : 0);
  if (queue.length < start) return undefined;
  const head = queue.peek(start);
  if (extended === 2) length = head.readUInt16BE(2);
  if (extended === 8) length = Number(head.readBigUInt64BE(2));
  if (length > LONGEST_MESSAGE) throw new Error('the server sent a message that is too long');
  if (queue.length < start + length) return undefined;
  const mask = Buffer.from(head.subarray(start - 4));
  queue.take(start);
  const own = queue.take(length);
  return { opcode: first & 0x0f, final: (first & 0x80) !== 0, payload: hasMask ? masked(own, mask) : own };
}

function masked(payload: Buffer, mask: Buffer): Buffer {
  const out = Buffer.allocUnsafe(payload.length);
  for (let at = 0; at < payload.length; at++) out[at] = payload[at]! ^ mask[at & 3]!;
  return out;
}

/** Writes, and resolves when there is room for more, or when the other side has disconnected. */
export function writeTo(stream: NodeJS.WritableStream & { destroyed?: boolean }, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed === true || !stream.writable) {
      resolve();
      return;
    }
    if (stream.write(bytes)) {
      resolve();
      return;
    }
    const done = () => {
      stream.removeListener('drain', done);
      stream.removeListener('close', done);
      stream.removeListener('error', done);
      resolve();
    };
    stream.on('drain', done).on('close', done).on('error', done);
  });
}
