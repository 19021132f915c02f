import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '#base/errors/config-error.ts';
import { isBusy, isDamage } from './failure.ts';
import { APPLICATION_ID, createTables, LAYOUT } from './layout.ts';
import { heldByOther } from './owner.ts';
import { changeOf } from './rows.ts';

type Database = typeof DatabaseSync;

/** The memory in which SQLite keeps pages of the file: 16 MB, given in KiB. */
const CACHE = -16_384;

/** A database in memory, with the tables of a store. */
export function openMemory(Database: Database): DatabaseSync {
  const db = new Database(':memory:');
  db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = MEMORY');
  createTables(db);
  return db;
}

/**
 * Opens the database in a file, and locks it for this process. A missing file is created. SQLite itself syncs only at
 * checkpoints (`synchronous = NORMAL`). Before a write is answered, `disk.ts` syncs the log on another thread.
 *
 * @throws ConfigError with advice if the file cannot be used
 */
export function openFile(Database: Database, file: string): DatabaseSync {
  if (!existsSync(file)) {
    try {
      make(Database, file);
    } catch (error) {
      throw new ConfigError(`cannot make ${file}: ${messageOf(error)}`);
    }
  }
  checkHeader(file);
  const hadLog = existsSync(`${file}-wal`);
  let db: DatabaseSync | undefined;
  try {
    db = new Database(file, { timeout: 0 });
    db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = ${CACHE}; PRAGMA wal_autocheckpoint = 0`);
    // A backup has no log until it is opened.
    db.exec('BEGIN EXCLUSIVE; COMMIT; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    checkSound(db, file, hadLog);
    markOpen(db);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof ConfigError) throw error;
    if (isBusy(error)) throw heldByOther(file);
    if (isDamage(error)) throw damaged(file, messageOf(error));
    throw new ConfigError(`cannot open ${file} for writing: ${messageOf(error)}; the store needs to write it`);
  }
}

/** Records that the store was closed correctly, moves the log into the file, and closes the file. */
export function closeFile(db: DatabaseSync): void {
  try {
    db.exec("UPDATE state SET value = 'yes' WHERE name = 'closed'");
    // With this setting, the checkpoint at the close of the last connection is synced.
    db.exec('PRAGMA synchronous = FULL');
  } finally {
    db.close();
  }
}

/** The advice for a file with damaged content. */
function damaged(file: string, what: string): ConfigError {
  return new ConfigError(
    `${file} is damaged (${what}): put a backup in its place, and remove ${file}-wal where it is there`,
  );
}

/** Makes the file under another name first. So a file with the final name is always complete. */
function make(Database: Database, file: string): void {
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  // The file has this name until it is complete, and only its owner may read it.
  closeSync(openSync(unfinished, 'wx', 0o600));
  const db = new Database(unfinished);
  try {
    db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN');
    createTables(db);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
  renameSync(unfinished, file);
  const folder = openSync(path.dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** The size of the header of a file of SQLite in bytes: https://www.sqlite.org/fileformat.html */
const HEADER = 100;

/** Checks the header before SQLite does, because the messages of SQLite do not help an operator. */
function checkHeader(file: string): void {
  const header = Buffer.alloc(HEADER);
  let handle: number;
  try {
    if (!statSync(file).isFile()) throw new ConfigError(`${file} is no file: name the file of a store`);
    handle = openSync(file, 'r');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`cannot read ${file}: ${messageOf(error)}`);
  }
  const length = readSync(handle, header);
  closeSync(handle);
  if (length < HEADER)
    throw damaged(file, length === 0 ? 'it is empty; remove it to begin with an empty store' : 'it was cut');
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3')
    throw new ConfigError(`${file} is no file of a store: name another one, or put a backup in its place`);
  const [layout, application] = [header.readUInt32BE(60), header.readUInt32BE(68)];
  if (application !== APPLICATION_ID)
    throw new ConfigError(`${file} is a database of another program: name another file`);
  if (layout < LAYOUT)
    throw new ConfigError(
      `${file} has layout ${layout}, and this release knows layouts from ${LAYOUT} on: start the release that wrote it, or put a backup of this one in its place`,
    );
  if (layout > LAYOUT)
    throw new ConfigError(
      `${file} has layout ${layout}, and this release knows layouts up to ${LAYOUT}: start a newer release, or put a backup of this one in its place`,
    );
}

/** Reads the whole file once, with parts to which no index refers. */
function checkSound(db: DatabaseSync, file: string, hadLog: boolean): void {
  const [found] = db.prepare('PRAGMA quick_check(1)').all();
  const said = String(found?.['quick_check']);
  if (said !== 'ok') throw damaged(file, said);
  const lost = db.prepare('SELECT key FROM keys WHERE id NOT IN (SELECT id FROM changes) LIMIT 1').get();
  if (lost !== undefined) throw damaged(file, `the value of ${String(lost['key'])} is not there`);
  const changes = db.prepare('SELECT id, previous, created, key, checksum, value FROM changes');
  changes.setReturnArrays(true);
  for (const row of changes.iterate()) changeOf(row);
  const closed = db.prepare("SELECT value FROM state WHERE name = 'closed'").get()?.['value'];
  if (closed !== 'yes' && !hadLog)
    throw new ConfigError(
      `${file}-wal is missing: it holds the last writes of a process that did not end by itself; put it beside ${file} again, or put a backup in place of both`,
    );
}

/** Records in the file itself, and not in the log, that the log belongs to the file. */
function markOpen(db: DatabaseSync): void {
  db.exec("UPDATE state SET value = 'no' WHERE name = 'closed'; PRAGMA wal_checkpoint(TRUNCATE)");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
