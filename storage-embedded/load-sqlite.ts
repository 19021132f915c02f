import type { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '#base/errors/config-error.ts';

/**
 * Loads the SQLite that is part of Node.js. Only a program that opens a store of this package calls this function,
 * because older versions of Node.js have no SQLite.
 *
 * @throws ConfigError if this Node.js has no SQLite
 */
export async function loadSqlite(): Promise<typeof DatabaseSync> {
  try {
    return (await import('node:sqlite')).DatabaseSync;
  } catch {
    throw new ConfigError(
      `a store in a file or in memory needs Node.js 24 or later, and this is ${process.version}: use a later Node.js, or store in etcd`,
    );
  }
}
