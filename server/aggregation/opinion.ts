import type { APIServiceCondition } from '#schema/generated/apiregistration.v1.ts';
import type { Finding } from './conditions.ts';

/** How long a replica that alone fails to reach a server keeps that to itself, in milliseconds. */
const OVERRULED_MS = 10 * 60_000;

/**
 * The opinion of one replica about one extension server, when other replicas may find something else. A replica writes
 * its finding. If it cannot reach the server and another replica then writes that it can, the first one does not repeat
 * its failure. So the condition does not alternate between replicas.
 */
export class Opinion {
  /**
   * Whether the condition reported a failure of the server, or this replica set it so because the server fails for this
   * replica.
   */
  #sawFailure = false;
  #overruledUntil = Number.NEGATIVE_INFINITY;

  /**
   * Whether this replica may replace the condition with a finding. `now` is in milliseconds, of any clock.
   */
  maySay(finding: Finding, current: APIServiceCondition | undefined, now: number): boolean {
    if (finding.reason !== 'FailedDiscoveryCheck') {
      this.#sawFailure = false;
      this.#overruledUntil = Number.NEGATIVE_INFINITY;
      return current === undefined || !isSameFinding(current, finding);
    }
    if (current?.status !== 'True') {
      this.#sawFailure = true;
      return current === undefined || !isSameFinding(current, finding);
    }
    if (now < this.#overruledUntil) return false;
    if (!this.#sawFailure) {
      this.#sawFailure = true;
      return true;
    }
    this.#sawFailure = false;
    this.#overruledUntil = now + OVERRULED_MS;
    return false;
  }

  /** The write that `maySay` allowed has failed, so that no other replica has seen it. */
  forget(): void {
    this.#sawFailure = false;
  }
}

/** The texts of failed checks describe one replica's findings: other replicas need not repeat theirs. */
function isSameFinding(current: APIServiceCondition, { status, reason, message }: Finding): boolean {
  const same = current.status === status && current.reason === reason;
  return same && (current.message === message || reason === 'FailedDiscoveryCheck');
}
