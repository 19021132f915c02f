import { errorCode, frameType, headFrames, numbersFrame, ProtocolError } from './frame.ts';
import type { Fields } from './header-block.ts';
import type { Sender, Unsent } from './sender.ts';

/** How many bytes of a stream, and of a connection, may arrive before the reader has read them. */
export const WINDOW_BYTES = 1 << 20;

/** How a stream ended. */
export interface StreamEnd {
  readonly code: number;
  /** Whether the peer says that it has not processed the request, and will not process it. */
  readonly untouched: boolean;
}

/** Handles everything that arrives on a stream. */
export interface StreamHandler {
  /** @param ended whether nothing more comes after these fields */
  head(fields: Fields, ended: boolean): void;
  data(bytes: Buffer): void;
  trailers(fields: Fields): void;
  /** Called once, after everything else. */
  closed(end: StreamEnd): void;
}

/** What a stream uses of its connection. */
export interface StreamOwner {
  readonly sender: Sender;
  /** Called when the stream has ended for both sides. */
  remove(stream: Http2Stream): void;
}

/** A request and its answer. */
export class Http2Stream implements Unsent {
  readonly id: number;
  readonly waiting: Buffer[] = [];
  window: number;
  ends = false;
  readonly #owner: StreamOwner;
  readonly #handler: StreamHandler;
  #headed = false;
  #over = false;
  /** Bytes that have arrived since the peer last got room for more. */
  #arrived = 0;
  #paused = false;

  /** Sends the head, and the whole body if it is there. */
  constructor(id: number, owner: StreamOwner, block: Buffer, handler: StreamHandler, body?: Buffer) {
    this.id = id;
    this.#owner = owner;
    this.#handler = handler;
    this.window = owner.sender.streamWindow;
    for (const frame of headFrames(id, block)) owner.sender.send(frame);
    if (body !== undefined) {
      this.ends = true;
      this.write(body);
    }
  }

  /** Whether the peer gets no further room. */
  get paused(): boolean {
    return this.#paused;
  }

  write(bytes: Buffer): void {
    if (this.#over) return;
    this.waiting.push(bytes);
    if (this.waiting.length === 1) this.#owner.sender.sendData(this);
  }

  /** The peer may send no more than it already has room for. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#makeRoom();
  }

  /**
   * Ends the stream for both sides. After that, the handler is called only for the end. The stream still counts until
   * the peer can know that it has ended: a peer that accepts few streams may still have it when the next one arrives.
   */
  reset(code: number): void {
    if (this.#over) return;
    this.#owner.sender.send(numbersFrame(frameType.resetStream, this.id, code));
    setImmediate(() => this.#owner.remove(this));
    this.#close({ code, untouched: false });
  }

  /** A head or trailers have arrived. */
  takeFields(fields: Fields, ended: boolean): void {
    if (this.#over) return;
    // A head with a status below 200 precedes the head of the answer. No code here waits for such a head.
    if (!this.#headed && !ended && fields[':status']?.startsWith('1')) return;
    if (!this.#headed) {
      this.#headed = true;
      this.#handler.head(fields, ended);
    } else if (ended) {
      this.#handler.trailers(fields);
    } else {
      this.reset(errorCode.protocol);
    }
    if (ended) this.#end();
  }

  /** `counted`: the number of bytes by which the data shrinks the window. Padding counts too. */
  takeData(bytes: Buffer, ended: boolean, counted: number): void {
    if (this.#over) return;
    this.#arrived += counted;
    if (this.#arrived > WINDOW_BYTES)
      throw new ProtocolError(errorCode.flowControl, 'more data than there is room for');
    if (!this.#headed) {
      this.reset(errorCode.protocol);
      return;
    }
    if (bytes.length > 0) this.#handler.data(bytes);
    if (ended) this.#end();
    else this.#makeRoom();
  }

  /** The stream has ended. Nothing is sent or accepted any more. */
  close(code: number, untouched: boolean): void {
    if (this.#over) return;
    this.#owner.remove(this);
    this.#close({ code, untouched });
  }

  #close(end: StreamEnd): void {
    this.#over = true;
    this.#owner.sender.forget(this);
    this.#handler.closed(end);
  }

  /** The peer sends nothing more. If this side has not ended yet, the peer need not wait for the end of this side. */
  #end(): void {
    if (this.#over) return;
    if (!this.ends || this.waiting.length > 0) this.reset(errorCode.none);
    else this.close(errorCode.none, false);
  }

  #makeRoom(): void {
    if (this.#over || this.#paused || this.#arrived < WINDOW_BYTES / 2) return;
    this.#owner.sender.send(numbersFrame(frameType.windowUpdate, this.id, this.#arrived));
    this.#arrived = 0;
  }
}
