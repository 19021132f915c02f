import { createWriteStream } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { TextOutput } from '#program/process/standard-output.ts';
import { CommandError } from '../../framework/errors.ts';
import { readTar } from './read-tar.ts';

export interface Unpacking {
  /** What all names begin with: the path that was packed, without what leads out of it. */
  readonly prefix: string;
  /** Where it goes. */
  readonly target: string;
  readonly warn: TextOutput;
  /** How to get links, which are not made. */
  readonly advice: string;
}

/**
 * Writes the files of an archive. Links are not made, since they may lead anywhere, and nothing is written outside the
 * target: both are warned of. @throws CommandError
 */
export async function unpack(
  pieces: AsyncIterable<Buffer>,
  { prefix, target, warn, advice }: Unpacking,
): Promise<void> {
  for await (const { name, kind, target: link, content } of readTar(pieces)) {
    if (!name.startsWith(prefix)) throw new CommandError('tar contents corrupted');
    const place = path.join(target, name.slice(prefix.length));
    if (!isInside(target, place)) {
      warn.write(`warning: file ${JSON.stringify(place)} is outside target destination, skipping\n`);
      continue;
    }
    try {
      await mkdir(kind === 'folder' ? place : path.dirname(place), { recursive: true });
      if (kind === 'folder') continue;
      if (kind === 'symlink') {
        warn.write(
          `warning: skipping symlink: ${JSON.stringify(place)} -> ${JSON.stringify(link)} (consider using ${advice})\n`,
        );
        continue;
      }
      const linked = path.join(target, link.slice(prefix.length));
      if (kind === 'hardlink' && link.startsWith(prefix) && isInside(target, linked)) await copyFile(linked, place);
      else if (kind === 'file') await pipeline(content(), createWriteStream(place));
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      if (code === 'EISDIR') throw new CommandError(`open ${place}: is a directory`);
      if (code === 'EACCES') throw new CommandError(`${syscall} ${place}: permission denied`);
      throw error;
    }
  }
}

function isInside(folder: string, place: string): boolean {
  const relative = path.relative(folder, place);
  return relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative));
}
