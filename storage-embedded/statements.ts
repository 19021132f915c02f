import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StateName } from './layout.ts';

/** All statements of a store, compiled once. Statements that read return rows as lists. */
export class Statements {
  readonly begin: StatementSync;
  readonly commit: StatementSync;
  readonly rollback: StatementSync;
  /** key → id, created, lease */
  readonly key: StatementSync;
  readonly insertKey: StatementSync;
  readonly updateKey: StatementSync;
  readonly insertChange: StatementSync;
  /** id → id, previous, created, key, checksum, value */
  readonly change: StatementSync;
  /** id → previous */
  readonly previous: StatementSync;
  /** after, until, limit → as `change` */
  readonly changes: StatementSync;
  /** from, end, limit → like `change`, for the existing keys */
  readonly range: StatementSync;
  /** from, end, limit → key, id, created; also for removed keys */
  readonly keys: StatementSync;
  /** from, end, limit → the number of the next keys that exist, the number of keys that were read, and the last key */
  readonly count: StatementSync;
  /** after, until, limit → id, previous, key, whether it is a removal */
  readonly purgeable: StatementSync;
  readonly deleteChange: StatementSync;
  /** Deletes the row of a key whose latest change is this removal. */
  readonly deleteKey: StatementSync;
  /** lease, limit → key */
  readonly leased: StatementSync;
  readonly insertLease: StatementSync;
  readonly deleteLease: StatementSync;
  readonly setState: StatementSync;
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    const change = 'c.id, c.previous, c.created, c.key, c.checksum, c.value';
    this.begin = db.prepare('BEGIN');
    this.commit = db.prepare('COMMIT');
    this.rollback = db.prepare('ROLLBACK');
    this.key = this.#reading('SELECT id, created, lease FROM keys WHERE key = ?');
    this.insertKey = db.prepare('INSERT INTO keys (id, created, lease, key) VALUES (?, ?, ?, ?)');
    this.updateKey = db.prepare('UPDATE keys SET id = ?, created = ?, lease = ? WHERE key = ?');
    this.insertChange = db.prepare('INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?)');
    this.change = this.#reading(`SELECT ${change} FROM changes c WHERE id = ?`);
    this.previous = this.#reading('SELECT previous FROM changes WHERE id = ?');
    this.changes = this.#reading(`SELECT ${change} FROM changes c WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`);
    this.range = this.#reading(
      `SELECT ${change} FROM keys k CROSS JOIN changes c ON c.id = k.id
       WHERE k.key >= ? AND k.key < ? AND k.created > 0 ORDER BY k.key LIMIT ?`,
    );
    this.keys = this.#reading('SELECT key, id, created FROM keys WHERE key >= ? AND key < ? ORDER BY key LIMIT ?');
    this.count = this.#reading(
      `SELECT count(*) FILTER (WHERE created > 0), count(*), max(key)
       FROM (SELECT key, created FROM keys WHERE key >= ? AND key < ? ORDER BY key LIMIT ?)`,
    );
    this.purgeable = this.#reading(
      'SELECT id, previous, key, value IS NULL FROM changes WHERE id > ? AND id <= ? ORDER BY id LIMIT ?',
    );
    this.deleteChange = db.prepare('DELETE FROM changes WHERE id = ?');
    this.deleteKey = db.prepare('DELETE FROM keys WHERE key = ? AND id = ?');
    this.leased = this.#reading('SELECT key FROM keys WHERE lease = ? AND lease > 0 LIMIT ?');
    this.insertLease = db.prepare('INSERT INTO leases VALUES (?, ?)');
    this.deleteLease = db.prepare('DELETE FROM leases WHERE id = ?');
    this.setState = db.prepare('UPDATE state SET value = ? WHERE name = ?');
  }

  state(name: StateName): string {
    return String(this.#db.prepare('SELECT value FROM state WHERE name = ?').get(name)?.['value'] ?? '');
  }

  #reading(sql: string): StatementSync {
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }
}
