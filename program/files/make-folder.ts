import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder and the missing folders above it. Use it in place of `mkdirSync` with `recursive`: that call never
 * returns when a folder cannot have children at all, as `/proc`.
 *
 * @param mode the rights of the folders that are made
 * @throws Error of the system, if a folder cannot be made or a file is in its place
 * @example makeFolder('/var/lib/orch/certificates', 0o700)
 */
export function makeFolder(folder: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !isFolder(at); at = path.dirname(at)) missing.push(at);
  for (const each of missing.reverse()) {
    try {
      mkdirSync(each, mode);
    } catch (error) {
      // Another process has created the folder in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(each)) throw error;
    }
  }
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}
