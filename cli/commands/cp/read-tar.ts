const BLOCK = 512;
/** Names of files are shorter, whatever the archive says. */
const LONGEST_NAME = 1 << 20;

/** A file, folder or link of an archive. Its content must be read before the next one is asked for. */
export interface TarEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symlink' | 'hardlink' | 'other';
  readonly target: string;
  readonly size: number;
  content(): AsyncGenerator<Buffer, void, void>;
}

const KINDS: ReadonlyMap<string, TarEntry['kind']> = new Map([
  ['\0', 'file'],
  ['0', 'file'],
  ['7', 'file'],
  ['1', 'hardlink'],
  ['2', 'symlink'],
  ['5', 'folder'],
]);

/** The entries of an archive (POSIX ustar and pax, GNU long names) as they come. @throws Error for what is none */
export async function* readTar(pieces: AsyncIterable<Buffer>): AsyncGenerator<TarEntry, void, void> {
  const source = new Source(pieces);
  let extended = new Map<string, string>();
  for (;;) {
    const block = await source.take(BLOCK);
    // An archive that breaks off between entries is as good as one that ends.
    if (block === undefined || block.every((byte) => byte === 0)) return;
    if (!hasItsSum(block)) throw new Error('archive/tar: invalid tar header');
    const size = Number(extended.get('size') ?? numberAt(block, 124, 12));
    const flag = String.fromCharCode(block[156]!);
    if (flag === 'x' || flag === 'L' || flag === 'K' || flag === 'g') {
      if (size > LONGEST_NAME) throw new Error('archive/tar: header is too long');
      const data = await source.take(size + padding(size));
      if (data === undefined) throw new Error('unexpected EOF');
      const text = data.subarray(0, size);
      if (flag === 'x') for (const [key, value] of paxRecords(text)) extended.set(key, value);
      else if (flag !== 'g') extended.set(flag === 'L' ? 'path' : 'linkpath', textAt(text, 0, size));
      continue;
    }
    const prefix = textAt(block, 257, 5) === 'ustar' && block[262] === 0 ? textAt(block, 345, 155) : '';
    const short = textAt(block, 0, 100);
    const name = extended.get('path') ?? (prefix === '' ? short : `${prefix}/${short}`);
    let left = size;
    yield {
      name,
      size,
      kind: KINDS.get(flag) ?? 'other',
      target: extended.get('linkpath') ?? textAt(block, 157, 100),
      async *content() {
        while (left > 0) {
          const piece = await source.some(left);
          if (piece === undefined) throw new Error('unexpected EOF');
          left -= piece.length;
          yield piece;
        }
      },
    };
    while (left > 0) {
      const piece = await source.some(left);
      if (piece === undefined) return;
      left -= piece.length;
    }
    await source.take(padding(size));
    extended = new Map();
  }
}

/** Bytes that fill the last block. */
function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function textAt(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString();
}

/** Octal digits, or where those do not suffice big-endian bytes. */
function numberAt(block: Buffer, at: number, length: number): number {
  if ((block[at]! & 0x80) === 0) return Number.parseInt(textAt(block, at, length).trim() || '0', 8);
  let value = block[at]! & 0x7f;
  for (let n = 1; n < length; n++) value = value * 256 + block[at + n]!;
  return value;
}

function hasItsSum(block: Buffer): boolean {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 0x20 : block[at]!;
  return sum === numberAt(block, 148, 8);
}

/** `LENGTH KEY=VALUE` lines. */
function* paxRecords(bytes: Buffer): Generator<readonly [string, string]> {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.subarray(at, space).toString());
    if (space < 0 || !Number.isInteger(length) || length <= space - at) return;
    const record = bytes.subarray(space + 1, at + length - 1).toString();
    const equals = record.indexOf('=');
    yield [record.slice(0, equals), record.slice(equals + 1)];
    at += length;
  }
}

/** Pieces of a stream, cut as they are needed. */
class Source {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Just so many bytes; undefined where there are not. */
  async take(length: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let left = length; left > 0; ) {
      const piece = await this.some(left);
      if (piece === undefined) return undefined;
      parts.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(parts);
  }

  /** What is there, but no more than so many bytes; undefined at the end. */
  async some(most: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#pieces.next();
      if (done === true) return undefined;
      this.#rest = value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }
}
