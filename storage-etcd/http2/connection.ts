import type { Socket } from 'node:net';
import {
  DEFAULT_WINDOW,
  errorCode,
  flag,
  frame,
  frameType,
  LAST_STREAM,
  numbersFrame,
  PAYLOAD_BYTES,
  ProtocolError,
} from './frame.ts';
import { type FrameHandler, FrameReader } from './frame-reader.ts';
import { FieldReader, type Fields } from './header-block.ts';
import { Sender } from './sender.ts';
import { Http2Stream, type StreamHandler, type StreamOwner, WINDOW_BYTES } from './stream.ts';

/** The first bytes of a client (RFC 9113, section 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

const setting = { tableSize: 1, push: 2, maxStreams: 3, streamWindow: 4, payloadBytes: 5 } as const;

/** Frames that belong to no stream. */
const OF_THE_CONNECTION: ReadonlySet<number> = new Set([frameType.settings, frameType.ping, frameType.goAway]);

/** The longest head of an answer. */
const LONGEST_BLOCK = 64 * 1024;

/** How many data frames without data may arrive one after the other. */
const MOST_EMPTY = 1_000;

/** Events in the life of a connection. */
export interface ConnectionEvents {
  /** Settings of the peer have arrived: it speaks HTTP/2, and `maxStreams` is known. */
  settings(): void;
  /** A stream has ended. */
  freed(): void;
  /** Called when the peer announces that it accepts no streams after this one. */
  goingAway(code: number, lastStream: number): void;
  /** No id is left for another stream. */
  exhausted(): void;
  /** The connection has ended. The reason is undefined if the peer or this side has closed it. */
  ended(reason: string | undefined): void;
}

/**
 * The client's side of HTTP/2 (RFC 9113), over a socket. It has what calls of gRPC need: no pushes, no priorities, and
 * no compression of fields across heads. A call over `node:http2` costs twice as much, because each call there is a
 * stream of Node.js, with its events, buffers and ticks.
 */
export class Http2Connection implements FrameHandler, StreamOwner {
  readonly sender: Sender;
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  readonly #frames = new FrameReader(this);
  readonly #fields = new FieldReader();
  readonly #streams = new Map<number, Http2Stream>();
  readonly #pings = new Map<number, () => void>();
  #maxStreams = Number.POSITIVE_INFINITY;
  #settled = false;
  #closing = false;
  #over = false;
  #nextId: number;
  #pingsSent = 0;
  /** Bytes that have arrived since the peer last got room for more. */
  #arrived = 0;
  #empty = 0;
  /** The head that is not complete: its stream, and whether the stream ends with it. */
  #head: { readonly stream: number; readonly ended: boolean; readonly parts: Buffer[]; bytes: number } | undefined;

  /** `firstStream`: the id of the first stream, an odd number. */
  constructor(socket: Socket, events: ConnectionEvents, firstStream = 1) {
    this.#socket = socket;
    this.#events = events;
    this.#nextId = firstStream;
    // A frame that is sent while an earlier frame is not acknowledged would wait for the acknowledgement, up to 40 ms.
    socket.setNoDelay(true);
    this.sender = new Sender(socket);
    this.sender.send(PREFACE);
    this.sender.send(settingsFrame([setting.tableSize, 0], [setting.push, 0], [setting.streamWindow, WINDOW_BYTES]));
    this.sender.send(numbersFrame(frameType.windowUpdate, 0, WINDOW_BYTES - DEFAULT_WINDOW));
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error: Error & { code?: string }) => this.#end(error.message || error.code));
    socket.on('end', () => this.destroy());
    socket.on('close', () => this.#end(undefined));
  }

  get over(): boolean {
    return this.#over;
  }

  get streams(): number {
    return this.#streams.size;
  }

  get maxStreams(): number {
    return this.#maxStreams;
  }

  /**
   * Opens a stream with a head, and sends the whole body if there is one. The connection must be open and must have
   * room.
   */
  open(block: Buffer, handler: StreamHandler, body?: Buffer): Http2Stream {
    const stream = new Http2Stream(this.#nextId, this, block, handler, body);
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
    if (this.#nextId > LAST_STREAM) this.#events.exhausted();
    return stream;
  }

  /** Asks the peer to show that it is alive. */
  ping(answered: () => void): void {
    const number = ++this.#pingsSent;
    this.#pings.set(number, answered);
    this.sender.send(numbersFrame(frameType.ping, 0, 0, number));
  }

  /** Opens no more streams, and ends with the last one. */
  close(): void {
    this.#closing = true;
    this.#endIfUnused();
  }

  /** Ends the connection, and its streams. */
  destroy(): void {
    this.#socket.destroy();
    this.#end(undefined);
  }

  remove(stream: Http2Stream): void {
    if (!this.#streams.delete(stream.id) || this.#over) return;
    this.#events.freed();
    this.#endIfUnused();
  }

  data(id: number, bytes: Buffer, ended: boolean): void {
    this.#expect(frameType.data, id);
    this.#empty = 0;
    this.#takeIn(bytes.length);
    this.#streamOf(id)?.takeData(bytes, ended, bytes.length);
  }

  frame(type: number, flags: number, id: number, payload: Buffer): void {
    this.#expect(type, id);
    switch (type) {
      case frameType.data: {
        const bytes = unpadded(flags, payload);
        this.#empty = bytes.length === 0 ? this.#empty + 1 : 0;
        if (this.#empty > MOST_EMPTY) throw new ProtocolError(errorCode.enhanceYourCalm, 'too many empty frames');
        this.#takeIn(payload.length);
        this.#streamOf(id)?.takeData(bytes, (flags & flag.endStream) !== 0, payload.length);
        return;
      }
      case frameType.headers: {
        const begin = (flags & flag.priority) === 0 ? 0 : 5;
        this.#head = { stream: id, ended: (flags & flag.endStream) !== 0, parts: [], bytes: 0 };
        this.#takeHead(flags, unpadded(flags, payload).subarray(begin));
        return;
      }
      case frameType.continuation: {
        if (this.#head?.stream !== id) throw wrong('a head goes on that has not begun');
        this.#takeHead(flags, payload);
        return;
      }
      case frameType.resetStream: {
        expectLength('a reset', payload, 4);
        const code = numberAt(payload, 0);
        this.#streamOf(id)?.close(code, code === errorCode.refusedStream);
        return;
      }
      case frameType.settings: {
        if ((flags & flag.ack) === 0) this.#takeSettings(payload);
        else expectLength('an acknowledgement', payload, 0);
        return;
      }
      case frameType.pushPromise:
        throw wrong('a push');
      case frameType.ping: {
        this.#takePing(flags, payload);
        return;
      }
      case frameType.goAway: {
        this.#takeGoAway(numberAt(payload, 0) & 0x7fff_ffff, numberAt(payload, 4));
        return;
      }
      case frameType.windowUpdate: {
        expectLength('a window update', payload, 4);
        const bytes = numberAt(payload, 0) & 0x7fff_ffff;
        if (bytes === 0) throw wrong('a window of nothing');
        const stream = id === 0 ? undefined : this.#streamOf(id);
        if (id === 0) this.sender.widen(bytes);
        else if (stream !== undefined) this.sender.widenStream(stream, bytes);
        return;
      }
      default:
      // Frames of other types have no meaning here.
    }
  }

  #take(chunk: Buffer): void {
    try {
      this.#frames.push(chunk);
    } catch (error) {
      const code = error instanceof ProtocolError ? error.code : errorCode.protocol;
      this.#socket.end(numbersFrame(frameType.goAway, 0, 0, code));
      this.#socket.destroySoon();
      this.#end(`the peer does not speak HTTP/2: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Whether a frame may come now, and for this stream. */
  #expect(type: number, id: number): void {
    if (!this.#settled && type !== frameType.settings) throw wrong('no settings at first');
    if (this.#head !== undefined && type !== frameType.continuation) throw wrong('a head is not complete');
    if (id !== 0 && OF_THE_CONNECTION.has(type)) throw wrong(`a frame of the connection for stream ${id}`);
  }

  /** The stream of a frame, unless this side has ended it. */
  #streamOf(id: number): Http2Stream | undefined {
    if (id === 0 || id % 2 === 0 || id >= this.#nextId) throw wrong(`a frame of stream ${id}, which is not open`);
    return this.#streams.get(id);
  }

  /** Gives the peer room for more data on the connection. Each stream has its own limit. */
  #takeIn(bytes: number): void {
    this.#arrived += bytes;
    if (this.#arrived < WINDOW_BYTES / 2) return;
    this.sender.send(numbersFrame(frameType.windowUpdate, 0, this.#arrived));
    this.#arrived = 0;
  }

  #takeHead(flags: number, part: Buffer): void {
    const head = this.#head!;
    head.parts.push(part);
    head.bytes += part.length;
    if (head.bytes > LONGEST_BLOCK || head.parts.length > LONGEST_BLOCK / 1024) {
      throw new ProtocolError(errorCode.enhanceYourCalm, 'a head is too long');
    }
    if ((flags & flag.endHeaders) === 0) return;
    this.#head = undefined;
    const fields: Fields = this.#fields.read(head.parts.length === 1 ? head.parts[0]! : Buffer.concat(head.parts));
    this.#streamOf(head.stream)?.takeFields(fields, head.ended);
  }

  #takeSettings(payload: Buffer): void {
    if (payload.length % 6 !== 0) throw new ProtocolError(errorCode.frameSize, 'settings are not complete');
    // A peer enlarges windows when it receives this frame. Data for the new room arrives after it.
    this.sender.reply(frame(frameType.settings, flag.ack, 0));
    for (let at = 0; at < payload.length; at += 6) {
      const value = numberAt(payload, at + 2);
      switch (payload.readUInt16BE(at)) {
        case setting.maxStreams:
          this.#maxStreams = value;
          break;
        case setting.streamWindow:
          this.sender.setStreamWindow(value, this.#streams.values());
          break;
        case setting.payloadBytes:
          if (value < PAYLOAD_BYTES || value >= 2 ** 24) throw wrong(`frames of ${value} bytes`);
          this.sender.payloadBytes = value;
          break;
        default:
        // This side refers to no field by number, so it does not need the other settings.
      }
    }
    this.#settled = true;
    this.#events.settings();
  }

  #takePing(flags: number, payload: Buffer): void {
    expectLength('a ping', payload, 8);
    if ((flags & flag.ack) === 0) {
      this.sender.reply(frame(frameType.ping, flag.ack, 0, payload));
      return;
    }
    const number = numberAt(payload, 4);
    this.#pings.get(number)?.();
    this.#pings.delete(number);
  }

  #takeGoAway(lastStream: number, code: number): void {
    this.#events.goingAway(code, lastStream);
    for (const stream of this.#streams.values()) {
      if (stream.id > lastStream) stream.close(errorCode.refusedStream, true);
    }
    if (code !== errorCode.none) this.destroy();
  }

  #endIfUnused(): void {
    if (!this.#closing || this.#streams.size > 0 || this.#over) return;
    // The frames of this turn are still to be sent.
    setImmediate(() => this.#socket.destroySoon());
  }

  #end(reason: string | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#frames.stop();
    this.#events.ended(reason);
    for (const stream of this.#streams.values()) stream.close(errorCode.cancel, false);
  }
}

function wrong(message: string): ProtocolError {
  return new ProtocolError(errorCode.protocol, message);
}

function expectLength(what: string, payload: Buffer, bytes: number): void {
  if (payload.length !== bytes) throw new ProtocolError(errorCode.frameSize, `${what} of ${payload.length} bytes`);
}

function numberAt(payload: Buffer, at: number): number {
  if (payload.length < at + 4) throw new ProtocolError(errorCode.frameSize, 'a frame is too short');
  return payload.readUInt32BE(at);
}

/** The payload without its padding. */
function unpadded(flags: number, payload: Buffer): Buffer {
  if ((flags & flag.padded) === 0) return payload;
  const padding = payload[0] ?? 0;
  if (padding >= payload.length) throw wrong('more padding than there is');
  return payload.subarray(1, payload.length - padding);
}

function settingsFrame(...settings: readonly (readonly [number, number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length);
  for (const [n, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, 6 * n);
    payload.writeUInt32BE(value, 6 * n + 2);
  }
  return frame(frameType.settings, 0, 0, payload);
}
