import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from '#base/errors/status-error.ts';
import { acceptOf, frameHead, NORMAL_CLOSURE, OPCODES } from '#program/connection/web-socket-frame.ts';
import { ClientFrames } from './client-frames.ts';
import type { OutgoingResponse } from './exchange.ts';
import type { UpgradeSocket } from './upgrade.ts';

/** How long a client may take to close its side, in milliseconds. */
const LAST_WORDS_MS = 5_000;

/**
 * The protocol that contains a token, because the browser has no other place for the token. An answer must not repeat
 * it.
 */
const TOKEN = /^base64url\.bearer\./;

/** Whether a request asks for a web socket. */
export function asksForWebSocket({ connection, upgrade }: IncomingHttpHeaders): boolean {
  return lists(connection, 'upgrade') && lists(upgrade, 'websocket');
}

function lists(header: string | undefined, wanted: string): boolean {
  return elements(header).some((element) => element.toLowerCase() === wanted);
}

function elements(header: string | undefined): string[] {
  return (header ?? '').split(',').map((element) => element.trim());
}

/** The output of a long stream. */
export type StreamOutput = Pick<
  OutgoingResponse,
  | 'cork'
  | 'destroy'
  | 'destroyed'
  | 'end'
  | 'flushHeaders'
  | 'mayWait'
  | 'setHeader'
  | 'uncork'
  | 'writableLength'
  | 'writableNeedDrain'
  | 'write'
  | 'writeHead'
> & {
  on(event: 'drain', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
};

/** The protocol in which bytes are sent as text in base64. */
const BASE64 = /^base64\./;

/**
 * A stream over a web socket, as browsers request it. Each piece is one message. Data from the client is ignored,
 * except for pings and the end.
 */
export class WebSocketOutput implements StreamOutput {
  /** Whether the client wants bytes in base64. The events of a watch never need this. */
  readonly wantsBase64: boolean;
  readonly #socket: UpgradeSocket['socket'];
  readonly #early: Buffer;
  readonly #lines: string[];
  readonly #accepted: () => void;
  #kind: number = OPCODES.text;
  #isEnded = false;

  /**
   * @param accepted called when the client gets its web socket
   * @throws StatusError (400) if the request is not a handshake of the version that browsers use
   */
  constructor({ socket, head }: UpgradeSocket, headers: IncomingHttpHeaders, accepted: () => void) {
    this.#accepted = accepted;
    const { 'sec-websocket-key': key = '', 'sec-websocket-version': version } = headers;
    if (version !== '13') throw badRequest('web sockets of version 13 are served');
    if (!/^[A-Za-z0-9+/]{22}==$/.test(key)) throw badRequest('Sec-WebSocket-Key must be 16 bytes in base64');
    this.#socket = socket;
    this.#early = head;
    this.#lines = [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${acceptOf(key)}`,
    ];
    const protocol = elements(headers['sec-websocket-protocol']).find((each) => each !== '' && !TOKEN.test(each));
    this.wantsBase64 = protocol !== undefined && BASE64.test(protocol);
    if (protocol !== undefined) this.#lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  }

  get mayWait(): undefined {
    return undefined;
  }

  get destroyed(): boolean {
    return this.#socket.destroyed;
  }

  get writableLength(): number {
    return this.#socket.writableLength;
  }

  get writableNeedDrain(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** The content type decides the kind of messages. JSON is sent as text, and other types as bytes. */
  setHeader(name: string, value: string | number | readonly string[]): void {
    if (name.toLowerCase() === 'content-type' && !String(value).startsWith('application/json'))
      this.#kind = OPCODES.binary;
  }

  /** Sends bytes, in base64 if the client wants this. */
  writeBytes(bytes: Buffer): boolean {
    if (!this.wantsBase64) return this.write(bytes);
    this.#kind = OPCODES.text;
    return this.write(bytes.toString('base64'));
  }

  /** Accepts the web socket. */
  writeHead(): void {
    this.#accepted();
    const frames = new ClientFrames({ onClose: () => this.end(), onPing: (payload) => this.#pong(payload) });
    this.#socket.write(Buffer.from(`${this.#lines.join('\r\n')}\r\n\r\n`, 'latin1'));
    this.#socket.on('data', (bytes: Buffer) => frames.take(bytes));
    this.#socket.once('end', () => this.end());
    if (this.#early.length > 0) frames.take(this.#early);
  }

  flushHeaders(): void {
    // It is already written.
  }

  write(chunk: Buffer | string): boolean {
    if (this.#isEnded) return false;
    const payload = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#socket.cork();
    this.#socket.write(frameHead(this.#kind, payload.length));
    const isTaken = this.#socket.write(payload);
    this.#socket.uncork();
    return isTaken;
  }

  end(chunk?: Buffer | string): void {
    if (this.#isEnded) return;
    if (chunk !== undefined) this.write(chunk);
    this.#isEnded = true;
    if (this.#socket.destroyed) return;
    const status = Buffer.alloc(2);
    status.writeUInt16BE(NORMAL_CLOSURE);
    this.#socket.end(Buffer.concat([frameHead(OPCODES.close, status.length), status]));
    const timer = setTimeout(() => this.#socket.destroy(), LAST_WORDS_MS);
    this.#socket.once('close', () => clearTimeout(timer));
  }

  destroy(): void {
    this.#socket.destroy();
  }

  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  on(event: 'close' | 'drain', listener: () => void): this {
    this.#socket.on(event, listener);
    return this;
  }

  once(event: 'close' | 'drain' | 'finish', listener: () => void): this {
    this.#socket.once(event, listener);
    return this;
  }

  /** Answers a ping. A client that does not read gets no answer to its pings. */
  #pong(payload: Buffer): void {
    if (this.#isEnded || this.#socket.writableNeedDrain) return;
    this.#socket.write(Buffer.concat([frameHead(OPCODES.pong, payload.length), payload]));
  }
}
