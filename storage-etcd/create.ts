import type { Exists, Write, Written } from '#storage/object-store.ts';
import { commit } from './commit.ts';
import type { Connection } from './connection.ts';

export async function create(connection: Connection, write: Write): Promise<Written | Exists> {
  const result = await commit(connection, [{ key: write.key, revision: 0 }], [write]);
  // The condition failed because the key has a revision. So the transaction has read the value in its else branch.
  return result.outcome === 'written' ? result : { outcome: 'exists', current: result.current[0]! };
}
