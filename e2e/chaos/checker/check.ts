import { checkOrder } from './check-order.ts';
import { checkSnapshots } from './check-snapshots.ts';
import { checkTruth } from './check-truth.ts';
import { checkWatches } from './check-watches.ts';
import { checkWrites } from './check-writes.ts';
import type { History, Violation } from './history.ts';
import { Truth } from './truth.ts';

/** Finds all violations of a history within a short time, because it checks all laws in one pass over sorted events. */
export function check({ truth: changes, operations }: History): Violation[] {
  const truth = new Truth(changes);
  return [
    ...checkTruth(truth),
    ...checkWrites(truth, operations),
    ...checkOrder(truth, operations),
    ...checkSnapshots(truth, operations),
    ...checkWatches(truth, operations),
  ];
}
