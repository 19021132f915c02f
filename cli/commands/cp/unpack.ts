import { createWriteStream } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract } from 'tar-stream';
import { makeFolder } from '#program/files/make-folder.ts';
import type { TextOutput } from '#program/process/standard-output.ts';
import { CommandError } from '../../framework/errors.ts';

type Entry = Extract extends AsyncIterable<infer E> ? E : never;

export interface Unpacking {
  /** The prefix of all names. It is the packed path without the parts that lead out of the folder. */
  readonly prefix: string;
  /** The local path of the copy. */
  readonly target: string;
  readonly warn: TextOutput;
  /** Advice about how to copy links, which the function does not create. */
  readonly advice: string;
}

/**
 * Writes the files of an archive (POSIX ustar and pax, GNU, and the oldest form). The function creates no links,
 * because a link may lead to any place, and it writes nothing outside of the target. The command warns of both.
 *
 * @throws CommandError if an entry cannot be written
 * @throws Error if the bytes are not an archive, or end within an entry
 */
export async function unpack(pieces: AsyncIterable<Buffer>, unpacking: Unpacking): Promise<void> {
  // The types of the library do not have this option. They also do not declare that its streams are streams of Node.js.
  const options: object = { allowUnknownFormat: true };
  const archive = extract(options);
  const fed = pipeline(Readable.from(pieces, { objectMode: false }), archive as unknown as Writable);
  // The promise is awaited below, unless the loop fails with the same error.
  fed.catch(() => {});
  try {
    for await (const entry of archive) {
      try {
        await writeEntry(entry, unpacking);
      } catch (error) {
        // The error of an entry does not contain the reason why its archive ended early.
        if (archive.destroying) await fed;
        throw error;
      }
      // The next entry arrives when this one has been read.
      entry.resume();
    }
    await fed;
  } catch (error) {
    const { message } = error as Error;
    if (message === 'Unexpected end of data') throw new Error('unexpected EOF', { cause: error });
    if (/^(Invalid (tar )?header|Header exceeds)/.test(message))
      throw new Error('archive/tar: invalid tar header', { cause: error });
    throw error;
  }
}

/** Writes one entry. It reads the content only if the entry is a file. */
async function writeEntry(entry: Entry, { prefix, target, warn, advice }: Unpacking): Promise<void> {
  const { name, type } = entry.header;
  const link = entry.header.linkname ?? '';
  if (!name.startsWith(prefix)) throw new CommandError('tar contents corrupted');
  const place = path.join(target, name.slice(prefix.length));
  if (!isInside(target, place)) {
    warn.write(`warning: file ${JSON.stringify(place)} is outside target destination, skipping\n`);
    return;
  }
  try {
    const isFolder = type === 'directory';
    makeFolder(isFolder ? place : path.dirname(place));
    if (type === 'symlink') {
      warn.write(
        `warning: skipping symlink: ${JSON.stringify(place)} -> ${JSON.stringify(link)} (consider using ${advice})\n`,
      );
    } else if (type === 'link') {
      const linked = path.join(target, link.slice(prefix.length));
      if (link.startsWith(prefix) && isInside(target, linked)) await copyFile(linked, place);
    } else if (type === 'file' || type === 'contiguous-file') {
      await pipeline(contentOf(entry), createWriteStream(place));
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') throw new CommandError(`open ${place}: is a directory`);
    if (code === 'EACCES') throw new CommandError(`${syscall} ${place}: permission denied`);
    throw error;
  }
}

/** Fails at once if an entry failed before it was read. A pipeline of streams would wait for such an entry. */
async function* contentOf(entry: Entry): AsyncGenerator<Buffer, void, void> {
  for await (const piece of entry as AsyncIterable<Buffer>) yield piece;
}

function isInside(folder: string, place: string): boolean {
  const relative = path.relative(folder, place);
  return relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative));
}
