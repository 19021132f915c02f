import type { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '#base/errors/config-error.ts';

/**
 * Loads the SQLite of Node.js. It is loaded only if a store of this package is opened, because older versions of
 * Node.js lack it.
 *
 * @throws ConfigError if this Node.js has no SQLite
 */
export async function loadSqlite(): Promise<typeof DatabaseSync> {
  try {
    return (await import('node:sqlite')).DatabaseSync;
  } catch {
    throw new ConfigError(
      `a store in a file or in memory needs Node.js 24 or later, and this is ${process.version}: run the server on that, or give an etcd`,
    );
  }
}
