import type { StatusError } from '#base/errors/status-error.ts';
import type { Condition, Stored } from '#storage/object-store.ts';

/**
 * The conditions of a write besides the object: the definition and the policies that it was checked against. Each write
 * compares them in its transaction. If one changed, nothing is written, and the server handles the request again from
 * its beginning with the current definitions and policies.
 */
export interface WriteCondition {
  readonly conditions: readonly Condition[];
  /** Updates the served resources until the conditions may hold again. Rejects with a StatusError. */
  renew(): Promise<void>;
  /** The refusal of a request that met a change of it again and again. */
  refusal(): StatusError;
}

/** A write met another definition or other policies than its object was checked against: nothing was written. */
export class StaleDefinition extends Error {
  readonly condition: WriteCondition;

  constructor(condition: WriteCondition) {
    super('what the write was checked against has changed');
    this.name = 'StaleDefinition';
    this.condition = condition;
  }
}

/**
 * Finds out why a transaction did not commit. `current` are the values of all its conditions; those of `rests` come
 * last.
 *
 * @throws StaleDefinition if one of these does not hold
 */
export function requireHolding(rests: readonly WriteCondition[], current: readonly (Stored | undefined)[]): void {
  let at = current.length - conditionsOf(rests).length;
  for (const condition of rests) {
    for (const { revision } of condition.conditions) {
      if ((current[at++]?.revision ?? 0) !== revision) throw new StaleDefinition(condition);
    }
  }
}

/** The comparisons for all conditions of a write. */
export function conditionsOf(rests: readonly WriteCondition[]): readonly Condition[] {
  return rests.length === 0
    ? NONE
    : rests.length === 1
      ? rests[0]!.conditions
      : rests.flatMap((each) => each.conditions);
}

const NONE: readonly Condition[] = [];
