import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const BLOCK = Buffer.alloc(64 * 1024, 'x');

/** A disk in memory that can be filled to its last byte. Only root can make one. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Undefined if this process does not have the right to make one. */
  static make(megabytes: number): SmallDisk | undefined {
    const folder = mkdtempSync(path.join(tmpdir(), 'small-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
      return new SmallDisk(folder);
    } catch {
      rmdirSync(folder);
      return undefined;
    }
  }

  /** Fills the remaining room. */
  fill(): void {
    const file = openSync(this.#filler, 'a');
    try {
      for (let size = BLOCK.length; size > 0; ) {
        try {
          writeSync(file, BLOCK, 0, size);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          size >>= 1;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  /** Makes the disk refuse or accept writes. */
  readOnly(is: boolean): void {
    execFileSync('mount', ['-o', `remount,${is ? 'ro' : 'rw'}`, this.folder], { stdio: 'ignore' });
  }

  /** Frees the room that {@link fill} has filled. */
  free(): void {
    rmSync(this.#filler, { force: true });
  }

  remove(): void {
    execFileSync('umount', ['--lazy', this.folder]);
    rmdirSync(this.folder);
  }

  get #filler(): string {
    return path.join(this.folder, 'filler');
  }
}
