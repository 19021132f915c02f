import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder and the missing folders above it. Use it in place of `mkdirSync` with `recursive`, which never returns
 * for a folder that cannot contain others, such as `/proc`.
 *
 * @param mode the permissions of the new folders
 * @throws Error of the system if a folder cannot be made or a file has its name
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
