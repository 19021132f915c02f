import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink, stat } from 'node:fs/promises';
import path from 'node:path';

const BLOCK = 512;
const END = Buffer.alloc(2 * BLOCK);
/** What the short fields hold. */
const LONGEST_NAME = 100;
const LARGEST = 0o77777777777;

interface Entry {
  readonly name: string;
  readonly mode: number;
  readonly size: number;
  /** Seconds since 1970. */
  readonly time: number;
  readonly flag: '0' | '2' | '5';
  readonly target: string;
}

/** A file or folder here as an archive (POSIX pax) in which it has another name. */
export async function* writeTar(source: string, name: string): AsyncGenerator<Buffer, void, void> {
  // What is named itself is followed where it is a link to a folder; below it links stay links.
  yield* entriesOf(source, name);
  yield END;
}

async function* entriesOf(source: string, name: string): AsyncGenerator<Buffer, void, void> {
  const found = await lstat(source);
  const common = { mode: found.mode & 0o7777, time: Math.floor(found.mtimeMs / 1000), size: 0, target: '' };
  if (found.isDirectory()) {
    const names = (await readdir(source)).sort();
    if (names.length === 0) yield header({ ...common, name: `${name}/`, flag: '5' });
    for (const own of names) yield* entriesOf(path.join(source, own), `${name}/${own}`);
  } else if (found.isSymbolicLink()) {
    yield header({ ...common, name, flag: '2', target: await readlink(source) });
  } else if (found.isFile()) {
    const { size } = await stat(source);
    yield header({ ...common, name, flag: '0', size });
    let left = size;
    if (size > 0)
      for await (const piece of createReadStream(source, { end: size - 1 }) as AsyncIterable<Buffer>) {
        left -= piece.length;
        yield piece;
      }
    if (left > 0) throw new Error(`${source} became shorter while it was read`);
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
  }
}

function header(entry: Entry): Buffer {
  const { name, mode, size, time, flag, target } = entry;
  const long = [
    ...(Buffer.byteLength(name) > LONGEST_NAME ? [record('path', name)] : []),
    ...(Buffer.byteLength(target) > LONGEST_NAME ? [record('linkpath', target)] : []),
    ...(size > LARGEST ? [record('size', String(size))] : []),
  ];
  const own = block({ name, mode, size: Math.min(size, LARGEST), time, target }, flag);
  if (long.length === 0) return own;
  const data = Buffer.concat(long);
  const lead = block({ name: 'PaxHeader', mode: 0o644, size: data.length, time, target: '' }, 'x');
  return Buffer.concat([lead, data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK), own]);
}

function block({ name, mode, size, time, target }: Omit<Entry, 'flag'>, flag: string): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  const put = (text: string, at: number, length: number) => Buffer.from(text).copy(bytes, at, 0, length);
  const octal = (value: number, at: number, length: number) =>
    put(`${value.toString(8).padStart(length - 1, '0')}\0`, at, length);
  put(name, 0, LONGEST_NAME);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(Math.max(0, time), 136, 12);
  bytes.fill(0x20, 148, 156);
  put(flag, 156, 1);
  put(target, 157, LONGEST_NAME);
  put('ustar\x0000', 257, 8);
  let sum = 0;
  for (const byte of bytes) sum += byte;
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8);
  return bytes;
}

/** `LENGTH KEY=VALUE`, where the length counts itself. */
function record(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}
