import { closeSync, fdatasync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';

const sync = promisify(fdatasync);

/** The size of the log in bytes at which its content is moved into the file. */
const CHECKPOINT_BYTES = 2 * 1024 * 1024;

/** The same size for a full disk. There the log must not grow beyond its present space. */
const CHECKPOINT_FULL_BYTES = 512 * 1024;

/** The interval at which the store looks for space on a full disk, in milliseconds. */
const LOOK_MS = 1_000;

/** Makes writes durable. Other threads sync the file and its log, so the event loop does not wait. */
export interface Disk {
  /**
   * Whether the reserve is used up, so that only deletions may be written. The store looks for space from time to time.
   */
  readonly full: boolean;
  /** Resolves when all earlier commits are on the disk. `bytes` is approximately what they wrote. */
  sync(bytes: number): Promise<void>;
  /** Deletes the reserve, so that deletions have space. */
  makeRoom(): void;
  /** Called after the database is closed. */
  close(): void;
}

/** In memory nothing is durable, and there is always space. */
export const noDisk: Disk = { full: false, sync: async () => {}, makeRoom() {}, close() {} };

/**
 * The disk under an open database. Its order of operations is that of SQLite with `synchronous = FULL`. A commit is in
 * the synced log before it is answered. A checkpoint moves only pages that are in the synced log. The log is written
 * from its beginning again only after the file is synced. No commit happens in between.
 */
export class FileDisk implements Disk {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #reserveBytes: number;
  readonly #log: number;
  /** This handle is closed last, because closing any handle of the file ends SQLite's lock on it. */
  readonly #data: number;
  #bytes = 0;
  #hasReserve: boolean;
  #lookAgainAt = 0;

  constructor(db: DatabaseSync, file: string, reserveBytes: number) {
    this.#db = db;
    this.#file = file;
    this.#reserveBytes = reserveBytes;
    this.#log = openSync(`${file}-wal`, 'r');
    this.#data = openSync(file, 'r');
    this.#hasReserve = this.#reserve();
  }

  get full(): boolean {
    if (this.#hasReserve || this.#reserveBytes === 0) return false;
    const now = performance.now();
    if (now < this.#lookAgainAt) return true;
    this.#lookAgainAt = now + LOOK_MS;
    this.#hasReserve = this.#reserve();
    return !this.#hasReserve;
  }

  async sync(bytes: number): Promise<void> {
    await sync(this.#log);
    this.#bytes += bytes;
    if (this.#bytes < (this.#hasReserve ? CHECKPOINT_BYTES : CHECKPOINT_FULL_BYTES)) return;
    this.#bytes = 0;
    this.#db.exec('PRAGMA synchronous = OFF; PRAGMA wal_checkpoint(PASSIVE); PRAGMA synchronous = NORMAL');
    await sync(this.#data);
  }

  makeRoom(): void {
    rmSync(this.#reserveFile, { force: true });
    this.#hasReserve = false;
    this.#lookAgainAt = performance.now() + LOOK_MS;
  }

  close(): void {
    closeSync(this.#log);
    closeSync(this.#data);
    rmSync(this.#reserveFile, { force: true });
  }

  get #reserveFile(): string {
    return `${this.#file}-reserve`;
  }

  /** Writes the reserve file if the disk has twice as much free space as the file needs. */
  #reserve(): boolean {
    try {
      const { bavail, bsize } = statfsSync(this.#file);
      if (bavail * bsize < 2 * this.#reserveBytes) return false;
      writeFileSync(this.#reserveFile, Buffer.alloc(this.#reserveBytes));
      return true;
    } catch {
      rmSync(this.#reserveFile, { force: true });
      return false;
    }
  }
}
