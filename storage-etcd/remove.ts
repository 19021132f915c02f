import type { Changed, Revision, Written } from '#storage/object-store.ts';
import { commit } from './commit.ts';
import type { Connection } from './connection.ts';

export async function remove(connection: Connection, key: string, expected: Revision): Promise<Written | Changed> {
  const result = await commit(connection, [{ key, revision: expected }], [{ key }]);
  return result.outcome === 'written' ? result : { outcome: 'changed', current: result.current[0] };
}
