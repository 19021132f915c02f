/**
 * The number of bytes that are reserved for the length of an inner message. If the length needs more, the message is
 * moved.
 */
const LENGTH_BYTE = 1;

const FIRST_SIZE = 4 * 1024;

/**
 * Writes protobuf piece by piece into one buffer that grows. A message may stay open while other work runs.
 *
 * @example
 * new WireWriter().uint32(10).fork().string('x').ldelim().finish(); // 0a 02 01 78
 */
export class WireWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_SIZE);
  #length = 0;
  /** The positions at which the open messages begin. The innermost is last. */
  readonly #open: number[] = [];

  uint32(value: number): this {
    this.#room(5);
    this.#length = putVarint(this.#bytes, this.#length, value);
    return this;
  }

  bool(value: boolean): this {
    return this.uint32(value ? 1 : 0);
  }

  /** A whole number that a double holds exactly. Larger numbers are cut to 64 bits. */
  int64(value: number): this {
    this.#room(10);
    let rest = BigInt.asUintN(64, BigInt(Number.isFinite(value) ? Math.trunc(value) : 0));
    while (rest > 0x7fn) {
      this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
    return this;
  }

  double(value: number): this {
    this.#room(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
    return this;
  }

  string(value: string): this {
    const length = Buffer.byteLength(value);
    this.uint32(length).#room(length);
    this.#length += this.#bytes.write(value, this.#length);
    return this;
  }

  /** Begins a message inside this one. Its length is written when it ends. */
  fork(): this {
    this.#room(LENGTH_BYTE);
    this.#length += LENGTH_BYTE;
    this.#open.push(this.#length);
    return this;
  }

  /** Ends the message that was begun last. */
  ldelim(): this {
    const start = this.#open.pop()!;
    const length = this.#length - start;
    const more = varintSize(length) - LENGTH_BYTE;
    if (more > 0) {
      this.#room(more);
      this.#bytes.copyWithin(start + more, start, this.#length);
      this.#length += more;
    }
    putVarint(this.#bytes, start - LENGTH_BYTE, length);
    return this;
  }

  /** The written bytes. The writer must not be used after this. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #room(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
  return size;
}

/** Makes room in the buffer, and returns the position of the next byte. */
function putVarint(bytes: Buffer, at: number, value: number): number {
  let rest = value >>> 0;
  let next = at;
  while (rest > 0x7f) {
    bytes[next++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[next++] = rest;
  return next;
}
