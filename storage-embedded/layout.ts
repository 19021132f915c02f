import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

/** The layout that this release reads and writes. It refuses a file with a newer layout. */
export const LAYOUT = 1;

/** The mark of the program in the header of the file: "orch" in ASCII. */
export const APPLICATION_ID = 0x6f_72_63_68;

/**
 * `changes` holds every version of every key until compaction. `keys` holds the latest version of each key. Each change
 * refers to the previous change of its key. So a read finds an earlier state without a second index, and compaction
 * reads only keys that changed since the last compaction.
 */
const TABLES = `
CREATE TABLE changes (
  id INTEGER PRIMARY KEY,    -- its revision times 256, and its place in it
  previous INTEGER NOT NULL, -- the change before it of the same key; 0 where there is none
  created INTEGER NOT NULL,  -- the revision at which the life of the key began that it belongs to
  key TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  value BLOB                 -- NULL where the key was removed
) STRICT;
CREATE TABLE keys (
  key TEXT PRIMARY KEY,
  id INTEGER NOT NULL,       -- its latest change
  created INTEGER NOT NULL,  -- as in that; 0 where the key was removed
  lease INTEGER NOT NULL     -- 0 where it has no time to live
) STRICT, WITHOUT ROWID;
CREATE INDEX leased ON keys (lease) WHERE lease > 0;
CREATE TABLE leases (id INTEGER PRIMARY KEY, seconds REAL NOT NULL) STRICT;
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/**
 * The single values of the store: its id, the revision below which history is hidden from readers (`compacted`), the
 * revision below which it is deleted from the tables (`purged`), and whether it was closed properly (`closed`).
 */
export type StateName = 'id' | 'compacted' | 'purged' | 'closed';

/** Makes the tables of an empty database. Its `auto_vacuum` must have been set before. */
export function createTables(db: DatabaseSync): void {
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${LAYOUT}; ${TABLES}`);
  const state: Record<StateName, string> = {
    id: randomBytes(8).toString('hex'),
    compacted: '0',
    purged: '0',
    closed: 'yes',
  };
  const insert = db.prepare('INSERT INTO state VALUES (?, ?)');
  for (const [name, value] of Object.entries(state)) insert.run(name, value);
}
