/** Types of frames (RFC 9113, section 6). */
export const frameType = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flags of frames. `ack` belongs to settings and pings. */
export const flag = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

/** Error codes of streams and connections (RFC 9113, section 7). */
export const errorCode = {
  none: 0,
  protocol: 1,
  flowControl: 3,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 11,
} as const;

/** The bytes before the payload of a frame. */
export const HEAD_BYTES = 9;

/** The longest payload that each side takes, unless its settings allow more. */
export const PAYLOAD_BYTES = 16_384;

/** The last id that a stream can have. */
export const LAST_STREAM = 2 ** 31 - 1;

/** The flow control window of a connection, and of each stream, until a side sets another size. */
export const DEFAULT_WINDOW = 65_535;

/** The largest flow control window. */
export const LARGEST_WINDOW = 2 ** 31 - 1;

/** The peer does not keep the rules of HTTP/2. */
export class ProtocolError extends Error {
  /** The error code for the peer. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
  }
}

const NOTHING = Buffer.alloc(0);

/** A frame with its payload. */
export function frame(type: number, flags: number, stream: number, payload: Buffer = NOTHING): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

/** The frames for a head. There are as many frames as the smallest frame size of a peer requires. */
export function headFrames(stream: number, block: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at === 0 || at < block.length; at += PAYLOAD_BYTES) {
    const last = at + PAYLOAD_BYTES >= block.length;
    const type = at === 0 ? frameType.headers : frameType.continuation;
    frames.push(frame(type, last ? flag.endHeaders : 0, stream, block.subarray(at, at + PAYLOAD_BYTES)));
  }
  return frames;
}

/** A frame whose payload is numbers of 32 bits: a reset, a window update, the end of a connection. */
export function numbersFrame(type: number, stream: number, ...numbers: readonly number[]): Buffer {
  const payload = Buffer.allocUnsafe(4 * numbers.length);
  for (const [n, number] of numbers.entries()) payload.writeUInt32BE(number, 4 * n);
  return frame(type, 0, stream, payload);
}
