import zlib from 'node:zlib';
import { headerDictionary } from './spdy-dictionary.ts';

/** The largest size of the headers of one stream, in bytes. */
const LONGEST_HEADERS = 64 << 10;

export type SpdyHeaders = Readonly<Record<string, string | readonly string[]>>;

type Coder = zlib.Deflate | zlib.Inflate;

/** Runs bytes through a coder that keeps its state, and resolves with its output. */
function through(coder: Coder, bytes: Buffer, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    let length = 0;
    const take = (piece: Buffer) => {
      length += piece.length;
      if (length > most) settle(new Error('headers are too long'));
      else out.push(piece);
    };
    const settle = (error?: Error) => {
      coder.off('data', take);
      coder.off('error', settle);
      if (error === undefined) resolve(Buffer.concat(out));
      else reject(error);
    };
    coder.on('data', take);
    coder.on('error', settle);
    coder.write(bytes, () => coder.flush(zlib.constants.Z_SYNC_FLUSH, () => settle()));
  });
}

/**
 * Headers of one connection in the format of SPDY 3.1. Each block depends on the blocks before it, so their order
 * matters.
 */
export class HeaderCoder {
  readonly #deflate = zlib.createDeflate({ dictionary: headerDictionary });
  readonly #inflate = zlib.createInflate({ dictionary: headerDictionary });

  async encode(headers: SpdyHeaders): Promise<Buffer> {
    const entries = Object.entries(headers);
    const parts = [
      u32(entries.length),
      ...entries.flatMap(([name, value]) => [
        ...text(name.toLowerCase()),
        ...text(typeof value === 'string' ? value : value.join('\0')),
      ]),
    ];
    return through(this.#deflate, Buffer.concat(parts), LONGEST_HEADERS);
  }

  async decode(block: Buffer): Promise<Record<string, string>> {
    const bytes = await through(this.#inflate, block, LONGEST_HEADERS);
    const headers: Record<string, string> = {};
    let at = 0;
    const number = () => {
      at += 4;
      return bytes.readUInt32BE(at - 4);
    };
    const string = () => {
      const length = number();
      at += length;
      return bytes.subarray(at - length, at).toString();
    };
    for (let left = number(); left > 0 && at < bytes.length; left--) {
      const name = string();
      headers[name] = string();
    }
    return headers;
  }

  close(): void {
    this.#deflate.close();
    this.#inflate.close();
  }
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function text(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  return [u32(bytes.length), bytes];
}
