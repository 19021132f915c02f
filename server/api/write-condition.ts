import type { StatusError } from '#base/errors/status-error.ts';
import type { Condition, Stored } from '#storage/object-store.ts';

/**
 * The conditions of a write besides the object: the definition and the policies with which the object was checked. Each
 * write compares them in its transaction. If one of them changed, nothing is written. The server then handles the
 * request again from its beginning, with the current definitions and policies.
 */
export interface WriteCondition {
  readonly conditions: readonly Condition[];
  /** Updates the served resources until the conditions may hold again. Rejects with a StatusError. */
  renew(): Promise<void>;
  /** The refusal of a request if the condition changed again and again. */
  refusal(): StatusError;
}

/**
 * The error that the definition or the policies changed after the object was checked with them. Nothing was written.
 */
export class StaleDefinition extends Error {
  readonly condition: WriteCondition;

  constructor(condition: WriteCondition) {
    super('what the write was checked against has changed');
    this.name = 'StaleDefinition';
    this.condition = condition;
  }
}

/**
 * Finds out why a transaction did not commit. `current` has the values of all its conditions. Those of `rests` come
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
