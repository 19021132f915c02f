import type { Changed, Revision, Write, Written } from '#storage/object-store.ts';
import { commit } from './commit.ts';
import type { Connection } from './connection.ts';

export async function update(connection: Connection, expected: Revision, write: Write): Promise<Written | Changed> {
  const result = await commit(connection, [{ key: write.key, revision: expected }], [write]);
  return result.outcome === 'written' ? result : { outcome: 'changed', current: result.current[0] };
}
