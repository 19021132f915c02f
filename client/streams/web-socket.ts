import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import {
  frameHead,
  LONGEST_HEAD,
  masked,
  NORMAL_CLOSURE,
  OPCODES,
  readFrameHead,
} from '#program/connection/web-socket-frame.ts';
import { ConnectionError } from '../errors.ts';
import { ByteQueue } from './byte-queue.ts';

const { continuation: CONTINUATION, text: TEXT, binary: BINARY, close: CLOSE, ping: PING, pong: PONG } = OPCODES;

/** The longest message that the client accepts, in bytes. Servers send much shorter messages. */
const LONGEST_MESSAGE = 32 << 20;

/** Status codes of a close (RFC 6455, 7.4.1). */
const NONE = 1005;
const TOO_BIG = 1009;

/** A key for a handshake. */
export function newKey(): string {
  return randomBytes(16).toString('base64');
}

/**
 * An upgraded connection as messages (RFC 6455). `client` means that this side masks its messages, as clients must. It
 * reads from the connection only when the caller takes messages.
 */
export class WebSocketConnection {
  readonly #socket: Duplex;
  readonly #client: boolean;
  #closing = false;

  constructor(socket: Duplex, client: boolean) {
    this.#socket = socket;
    this.#client = client;
    // The reader gets the error that broke the connection.
    socket.on('error', () => {});
  }

  /** Sends a message. Resolves when the connection can accept more. After the end it does nothing. */
  async send(message: Buffer): Promise<void> {
    if (this.#closing) return;
    await this.#write(BINARY, message);
  }

  async ping(): Promise<void> {
    if (!this.#closing) await this.#write(PING, Buffer.alloc(0));
  }

  /**
   * The messages until the other side closes the connection. @throws ConnectionError if the connection breaks, or is
   * closed with an error
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
        if (code !== NORMAL_CLOSURE && code !== NONE)
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
  async close(code = NORMAL_CLOSURE): Promise<void> {
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
    const mask = this.#client ? randomBytes(4) : undefined;
    const body = mask === undefined ? payload : masked(payload, mask);
    await writeTo(this.#socket, Buffer.concat([frameHead(opcode, payload.length, mask), body]));
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
  if (queue.length === 0) return undefined;
  const head = readFrameHead(queue.peek(Math.min(queue.length, LONGEST_HEAD)));
  if (head === undefined) return undefined;
  const { opcode, isFinal: final, length, mask, size } = head;
  if (length > LONGEST_MESSAGE) throw new Error('the server sent a message that is too long');
  if (queue.length < size + length) return undefined;
  queue.take(size);
  const own = queue.take(length);
  return { opcode, final, payload: mask === undefined ? own : masked(own, mask) };
}

/** Writes data. Resolves when there is room for more, or when the other side has disconnected. */
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
