import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';

/** The latest time, in seconds, that fits into the library's field for times. */
const LAST_SECOND = 0x7fffffff;

/**
 * An archive (POSIX pax) of a local file or folder. The archive contains it under another name. Links in a folder stay
 * links. The archive fails if a file cannot be read, or becomes shorter while it is read.
 */
export function writeTar(source: string, name: string): AsyncIterable<Buffer> {
  const archive = pack();
  addEntries(archive, source, name).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  return archive as AsyncIterable<Buffer>;
}

async function addEntries(archive: Pack, source: string, name: string): Promise<void> {
  const found = await lstat(source);
  const seconds = Math.min(Math.max(0, Math.floor(found.mtimeMs / 1000)), LAST_SECOND);
  const common = { name, mode: found.mode & 0o7777, mtime: new Date(seconds * 1000) };
  if (found.isDirectory()) {
    const names = (await readdir(source)).sort();
    if (names.length === 0) archive.entry({ ...common, name: `${name}/`, type: 'directory' });
    for (const own of names) await addEntries(archive, path.join(source, own), `${name}/${own}`);
  } else if (found.isSymbolicLink()) {
    archive.entry({ ...common, type: 'symlink', linkname: await readlink(source) });
  } else if (found.isFile()) {
    const { size } = found;
    // The types of the library do not declare that its streams are streams of Node.js.
    const entry = archive.entry({ ...common, type: 'file', size }) as unknown as Writable;
    if (size === 0) entry.end();
    else await pipeline(whole(source, size), entry);
  }
}

/** The first bytes of a file, up to the size in its entry. @throws Error if the file has become shorter */
async function* whole(source: string, size: number): AsyncGenerator<Buffer, void, void> {
  let left = size;
  for await (const piece of createReadStream(source, { end: size - 1 }) as AsyncIterable<Buffer>) {
    left -= piece.length;
    yield piece;
  }
  if (left > 0) throw new Error(`${source} became shorter while it was read`);
}
