import { errorCode, ProtocolError } from './frame.ts';
import { huffmanText } from './huffman.ts';
import { STATIC_FIELDS } from './static-fields.ts';

/** Fields of a head or of trailers, by lower-case name. */
export type Fields = Readonly<Record<string, string>>;

/** The first number of each name in the static table. */
const NUMBERS = new Map(STATIC_FIELDS.map(([name], n) => [name, n + 1] as const).reverse());

/** The largest number of blocks that `FieldReader` remembers, and their largest size. */
const REMEMBERED = { blocks: 32, bytes: 128 };

/**
 * The block of some fields, for a head that is sent. It does not use the table of earlier fields. So the same block can
 * be sent on every connection without changes. Names and values have characters of one byte.
 *
 * @example encodeFields([':method', 'POST', 'te', 'trailers'])
 */
export function encodeFields(namesAndValues: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (let n = 0; n < namesAndValues.length; n += 2) {
    const [name, value] = [namesAndValues[n]!, namesAndValues[n + 1]!];
    const number = NUMBERS.get(name) ?? 0;
    const whole = number === 0 ? -1 : STATIC_FIELDS.findIndex((field) => field[0] === name && field[1] === value);
    if (whole >= 0) parts.push(integer(0x80, 7, whole + 1));
    else if (number > 0) parts.push(integer(0, 4, number), text(value));
    else parts.push(Buffer.of(0), text(name), text(value));
  }
  return Buffer.concat(parts);
}

/** An integer behind the first bits of its first byte (RFC 7541, section 5.1). */
function integer(first: number, bits: number, value: number): Buffer {
  const limit = 2 ** bits - 1;
  if (value < limit) return Buffer.of(first | value);
  const bytes = [first | limit];
  let rest = value - limit;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(128 + (rest % 128));
  return Buffer.from([...bytes, rest]);
}

function text(value: string): Buffer {
  return Buffer.concat([integer(0, 7, value.length), Buffer.from(value, 'latin1')]);
}

/**
 * Reads blocks of a peer. The settings forbid the peer to use a table of earlier fields, so equal blocks have equal
 * fields. The reader remembers short blocks, because nearly all answers have the same head and the same trailers.
 */
export class FieldReader {
  readonly #known = new Map<string, Fields>();

  /** @throws ProtocolError for a block that is not valid or that needs a table */
  read(block: Buffer): Fields {
    if (block.length > REMEMBERED.bytes) return decodeFields(block);
    const key = block.toString('latin1');
    let fields = this.#known.get(key);
    if (fields === undefined) {
      fields = decodeFields(block);
      if (this.#known.size >= REMEMBERED.blocks) this.#known.clear();
      this.#known.set(key, fields);
    }
    return fields;
  }
}

function decodeFields(block: Buffer): Fields {
  const fields = Object.create(null) as Record<string, string>;
  const cursor = new Cursor(block);
  while (!cursor.ended) {
    const first = cursor.peek();
    if (first >= 0x80) {
      add(fields, ...known(cursor.integer(7)));
    } else if ((first & 0xe0) === 0x20) {
      // The block sets the size of the table. The table stays empty for every size.
      cursor.integer(5);
    } else {
      // With a number of 6 bits, the peer adds the field to the table. The table has no room for it.
      const number = cursor.integer(first >= 0x40 ? 6 : 4);
      const name = number === 0 ? cursor.text() : known(number)[0];
      add(fields, name, cursor.text());
    }
  }
  return fields;
}

/** A field that occurs twice has both values, so that no code takes one of them for the only value. */
function add(fields: Record<string, string>, name: string, value: string): void {
  const before = fields[name];
  fields[name] = before === undefined ? value : `${before}, ${value}`;
}

function known(number: number): readonly [string, string] {
  const field = STATIC_FIELDS[number - 1];
  if (field === undefined) throw new ProtocolError(errorCode.compression, `no field has the number ${number}`);
  return field;
}

/** Reads the parts of a block, one after the other. */
class Cursor {
  readonly #block: Buffer;
  #at = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  get ended(): boolean {
    return this.#at >= this.#block.length;
  }

  peek(): number {
    const byte = this.#block[this.#at];
    if (byte === undefined) throw new ProtocolError(errorCode.compression, 'a field is not complete');
    return byte;
  }

  integer(bits: number): number {
    const limit = 2 ** bits - 1;
    let value = this.peek() & limit;
    this.#at += 1;
    if (value < limit) return value;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.peek();
      this.#at += 1;
      value += (byte & 127) * factor;
      if (value > this.#block.length + 255) throw new ProtocolError(errorCode.compression, 'a number is too large');
      if (byte < 128) return value;
    }
  }

  text(): string {
    const coded = this.peek() >= 0x80;
    const length = this.integer(7);
    const begin = this.#at;
    this.#at += length;
    if (this.#at > this.#block.length) throw new ProtocolError(errorCode.compression, 'a field is not complete');
    const bytes = this.#block.subarray(begin, this.#at);
    return coded ? huffmanText(bytes) : bytes.toString('latin1');
  }
}
