import type { Condition, TransactionChanged, Write, Written } from '#storage/object-store.ts';
import { commit } from './commit.ts';
import type { Connection } from './connection.ts';

/**
 * The largest number of operations of a transaction by etcd's default (`--max-txn-ops`). The store itself uses one
 * condition of them.
 */
const MAX_WRITES = 128;
const MAX_CONDITIONS = MAX_WRITES - 1;

export async function transact(
  connection: Connection,
  conditions: readonly Condition[],
  writes: readonly Write[],
): Promise<Written | TransactionChanged> {
  if (conditions.length > MAX_CONDITIONS || writes.length > MAX_WRITES) {
    throw new RangeError(
      `a transaction takes at most ${MAX_CONDITIONS} conditions and ${MAX_WRITES} writes, not ${conditions.length} and ${writes.length}`,
    );
  }
  return commit(connection, conditions, writes);
}
