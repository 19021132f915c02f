import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ConfigError } from '#base/errors/config-error.ts';

/** The files that this process has open. SQLite's lock does not stop a process from opening a file twice. */
const mine = new Set<string>();

/**
 * The file with the id of the process that has a store open. The lock itself belongs to SQLite and ends with the
 * process.
 */
function ownerFile(file: string): string {
  return `${file}-owner`;
}

/**
 * Reserves a file for this process, before the file is opened.
 *
 * @throws ConfigError if this process already has the file open
 */
export function take(file: string): void {
  if (mine.has(file)) throw inUse(file, String(process.pid));
  mine.add(file);
}

/** Releases the file after it was closed. */
export function giveBack(file: string): void {
  mine.delete(file);
}

/** Writes the id of this process, for other processes that find the file locked. */
export function sayOwner(file: string): void {
  writeFileSync(ownerFile(file), `${process.pid}\n`);
}

/** Removes the id that {@link sayOwner} wrote. */
export function unsayOwner(file: string): void {
  rmSync(ownerFile(file), { force: true });
}

/** The error about a file that another process has open. It names that process. */
export function heldByOther(file: string): ConfigError {
  let pid = '';
  try {
    pid = readFileSync(ownerFile(file), 'utf8').trim();
  } catch {
    // The process has not written its id yet.
  }
  return inUse(file, pid);
}

function inUse(file: string, pid: string): ConfigError {
  const holder = pid === '' ? 'another process' : `process ${pid}`;
  return new ConfigError(
    `${file} is in use by ${holder}: one process owns a store in a file; stop that one first, or use etcd for several replicas`,
  );
}
