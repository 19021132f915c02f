import { createHash } from 'node:crypto';

/** The kinds of frames of a web socket (RFC 6455, 5.2). */
export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** The status of a connection that ended normally (RFC 6455, 7.4.1). */
export const NORMAL_CLOSURE = 1000;

/** The longest head of a frame, in bytes. */
export const LONGEST_HEAD = 14;

/**
 * The bit in the first byte of a head that marks the last frame of a message, and the bit in the second byte that marks
 * a mask.
 */
const FINAL = 0x80;
const MASKED = 0x80;

/** The answer of a server to the key of a client's handshake (RFC 6455, 4.2.2). */
export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/** The head of a frame. */
export interface FrameHead {
  readonly opcode: number;
  readonly isFinal: boolean;
  /** The length of the payload, in bytes. */
  readonly length: number;
  /** The key with which the payload is masked; undefined without a mask. */
  readonly mask: Buffer | undefined;
  /** The length of the head itself, in bytes. */
  readonly size: number;
}

/** The head at the beginning of some bytes; undefined while it is incomplete. */
export function readFrameHead(bytes: Buffer): FrameHead | undefined {
  if (bytes.length < 2) return undefined;
  const [first, second] = [bytes[0]!, bytes[1]!];
  const short = second & 0x7f;
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
  const isMasked = (second & MASKED) !== 0;
  const size = 2 + extended + (isMasked ? 4 : 0);
  if (bytes.length < size) return undefined;
  return {
    opcode: first & 0x0f,
    isFinal: (first & FINAL) !== 0,
    length: extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)),
    mask: isMasked ? Buffer.from(bytes.subarray(size - 4, size)) : undefined,
    size,
  };
}

/**
 * The head of a frame that contains a whole message. A client masks its payloads with four bytes, and a server does
 * not.
 *
 * @example frameHead(OPCODES.text, 5).toString('hex') // => '8105'
 */
export function frameHead(opcode: number, length: number, mask?: Buffer): Buffer {
  const extended = length < 126 ? 0 : length < 1 << 16 ? 2 : 8;
  const head = Buffer.alloc(2 + extended + (mask?.length ?? 0));
  head[0] = FINAL | opcode;
  head[1] = (mask === undefined ? 0 : MASKED) | (extended === 0 ? length : extended === 2 ? 126 : 127);
  if (extended === 2) head.writeUInt16BE(length, 2);
  if (extended === 8) head.writeBigUInt64BE(BigInt(length), 2);
  mask?.copy(head, 2 + extended);
  return head;
}

/** Applies the mask to a payload. The same operation adds and removes it. */
export function masked(payload: Buffer, mask: Buffer): Buffer {
  const out = Buffer.allocUnsafe(payload.length);
  for (let at = 0; at < payload.length; at++) out[at] = payload[at]! ^ mask[at & 3]!;
  return out;
}
