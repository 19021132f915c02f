import type { StatusError } from '#base/errors/status-error.ts';
import type { Condition, Stored } from '#storage/object-store.ts';

/**
 * What the writes to a resource rest on, besides the object: the definition that they were checked against. It is
 * compared in the transaction of each write. Where it does not hold, nothing is written, and the server handles the
 * request again from its beginning, by the definitions of that moment.
 */
export interface WriteCondition {
  readonly conditions: readonly Condition[];
  /** Brings what is served up to a state in which the conditions may hold again. Rejects with a StatusError. */
  renew(): Promise<void>;
  /** The refusal of a request that met a changing definition again and again. */
  refusal(): StatusError;
}

/** A write met another definition than the one that its object was checked against: nothing was written. */
export class StaleDefinition extends Error {
  readonly condition: WriteCondition;

  constructor(condition: WriteCondition) {
    super('the definition of the resource has changed');
    this.name = 'StaleDefinition';
    this.condition = condition;
  }
}

/**
 * Looks at why a transaction did not commit: `current` are the values of all its conditions, of which those of
 * `condition` are the last.
 *
 * @throws StaleDefinition where one of these does not hold.
 */
export function requireHolding(condition: WriteCondition | undefined, current: readonly (Stored | undefined)[]): void {
  if (condition === undefined) return;
  const { conditions } = condition;
  const found = current.slice(-conditions.length);
  if (conditions.some(({ revision }, i) => (found[i]?.revision ?? 0) !== revision))
    throw new StaleDefinition(condition);
}
