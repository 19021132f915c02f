import type { Condition } from '../../storage-etcd/object-store.ts';
import type { StatusError } from '../errors/status-error.ts';

/**
 * What the writes to a resource rest on, besides the object: the definition that they were checked against. It is
 * compared in the transaction of each write. Where it does not hold, nothing is written, and the request is answered
 * anew from its beginning, by what is served then.
 */
export interface WriteCondition {
  readonly conditions: readonly Condition[];
  /** Brings what is served up to a state in which the conditions may hold again. Rejects with a StatusError. */
  renew(): Promise<void>;
  /** The refusal of a request that met a changing definition again and again. */
  refusal(): StatusError;
}
