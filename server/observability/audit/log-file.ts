import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { makeFolder } from '#program/files/make-folder.ts';
import type { RotationLimits } from '../../config/audit-options.ts';

interface Waiting {
  readonly bytes: Buffer;
  resolve(): void;
  reject(error: unknown): void;
}

/** The largest size of one write in bytes, unless a single event is larger. */
const MAX_WRITE = 1 << 20;

/** Matches the time in the names of rotated files: `audit-2026-01-02T03-04-05.678.log`. */
const STAMP = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}$/;

/**
 * Appends to a file that only its owner may read. Lines that arrive during a write are written together afterwards, in
 * order. A full file gets a name with the time, and a new file is started. A failed write leaves no partial lines.
 */
export class LogFile {
  readonly #file: string;
  readonly #limits: RotationLimits;
  readonly #onTrouble: (error: unknown) => void;
  readonly #queue: Waiting[] = [];
  #handle: FileHandle | undefined;
  #size = 0;
  #busy: Promise<void> | undefined;
  #tidying: Promise<void> = Promise.resolve();

  /** @param onTrouble gets the reason why old files could not be removed or compressed */
  constructor(file: string, limits: RotationLimits, onTrouble: (error: unknown) => void) {
    this.#file = path.resolve(file);
    this.#limits = limits;
    this.#onTrouble = onTrouble;
  }

  /** Opens the file, so that problems are noticed at once. Rejects if that fails. */
  async open(): Promise<void> {
    makeFolder(path.dirname(this.#file));
    this.#handle = await open(this.#file, 'a', 0o600);
    this.#size = (await this.#handle.stat()).size;
    this.#tidy();
  }

  /** Resolves when the bytes, which are whole lines, are in the file. Rejects if they are not. */
  append(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ bytes, resolve, reject });
      this.#busy ??= this.#writeAll();
    });
  }

  /** Waits for the appended lines, and closes the file. */
  async close(): Promise<void> {
    await this.#busy;
    await this.#handle?.close();
    this.#handle = undefined;
    await this.#tidying;
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#next();
      try {
        await this.#write(Buffer.concat(batch.map(({ bytes }) => bytes)));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#busy = undefined;
  }

  /** The entries of the queue that fit into one write and into the file, at least one. */
  #next(): Waiting[] {
    const { maxBytes } = this.#limits;
    const room = maxBytes > this.#size ? Math.min(MAX_WRITE, maxBytes - this.#size) : MAX_WRITE;
    let count = 0;
    for (let bytes = 0; count < this.#queue.length; count++) {
      bytes += this.#queue[count]!.bytes.length;
      if (bytes > room && count > 0) break;
    }
    return this.#queue.splice(0, count);
  }

  async #write(bytes: Buffer): Promise<void> {
    const { maxBytes } = this.#limits;
    if (this.#handle === undefined) await this.open();
    if (maxBytes > 0 && this.#size > 0 && this.#size + bytes.length > maxBytes) await this.#rotate();
    const handle = this.#handle!;
    try {
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
      this.#size += bytes.length;
    } catch (error) {
      await handle.truncate(this.#size).catch(() => {});
      throw error;
    }
  }

  async #rotate(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
    const { dir, name, ext } = path.parse(this.#file);
    for (let at = Date.now(); ; at++) {
      const stamp = new Date(at).toISOString().slice(0, -1).replaceAll(':', '-');
      const backup = path.join(dir, `${name}-${stamp}${ext}`);
      if ((await exists(backup)) || (await exists(`${backup}.gz`))) continue;
      await rename(this.#file, backup);
      break;
    }
    await this.open();
  }

  #tidy(): void {
    this.#tidying = this.#tidying.then(() => this.#removeOld()).catch(this.#onTrouble);
  }

  /** Removes old files beyond the limits, and compresses the rest. */
  async #removeOld(): Promise<void> {
    const { maxBackups, maxAgeMs, compress } = this.#limits;
    if (maxBackups === 0 && maxAgeMs === 0 && !compress) return;
    const oldest = maxAgeMs === 0 ? Number.NEGATIVE_INFINITY : Date.now() - maxAgeMs;
    const backups = await this.#backups();
    for (const [i, { file, at }] of backups.entries()) {
      if ((maxBackups > 0 && i >= maxBackups) || at < oldest) await rm(file, { force: true });
      else if (compress && !file.endsWith('.gz')) await compressFile(file);
    }
  }

  /** The rotated files, the newest first. */
  async #backups(): Promise<{ file: string; at: number }[]> {
    const { dir, name, ext } = path.parse(this.#file);
    const found = (await readdir(dir)).flatMap((entry) => {
      const plain = entry.endsWith('.gz') ? entry.slice(0, -'.gz'.length) : entry;
      if (!plain.startsWith(`${name}-`) || !plain.endsWith(ext)) return [];
      const stamp = plain.slice(name.length + 1, plain.length - ext.length);
      if (!STAMP.test(stamp)) return [];
      const at = Date.parse(`${stamp.slice(0, 13)}:${stamp.slice(14, 16)}:${stamp.slice(17)}Z`);
      return [{ file: path.join(dir, entry), at }];
    });
    return found.sort((a, b) => b.at - a.at);
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

async function compressFile(file: string): Promise<void> {
  const half = `${file}.gz.part`;
  await pipeline(createReadStream(file), createGzip(), createWriteStream(half, { mode: 0o600 }));
  await rename(half, `${file}.gz`);
  await rm(file);
}
