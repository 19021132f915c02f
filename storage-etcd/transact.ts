import { commit } from './commit.ts';
import type { Connection } from './connection.ts';
import type { Condition, TransactionChanged, Write, Written } from './object-store.ts';

/** What etcd takes in one transaction by default (`--max-txn-ops`); one condition is the store's own. */
const maxWrites = 128;
const maxConditions = maxWrites - 1;

export async function transact(
  connection: Connection,
  conditions: readonly Condition[],
  writes: readonly Write[],
): Promise<Written | TransactionChanged> {
  if (conditions.length > maxConditions || writes.length > maxWrites) {
    throw new RangeError(
      `a transaction takes at most ${maxConditions} conditions and ${maxWrites} writes, not ${conditions.length} and ${writes.length}`,
    );
  }
  return commit(connection, conditions, writes);
}
