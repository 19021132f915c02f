import type { APIServiceCondition } from '#schema/generated/apiregistration.v1.ts';
import type { Finding } from './conditions.ts';

/**
 * After another replica wrote that it reaches the server, this replica does not repeat its failure for this time, in
 * milliseconds.
 */
const OVERRULED_MS = 10 * 60_000;

/**
 * The opinion of one replica about one extension server. Other replicas may have another opinion. Each replica writes
 * its finding into the condition. If another replica replaces a failure by a success, the first replica does not write
 * its failure again. So the condition does not alternate between the two findings.
 */
export class Opinion {
  /**
   * Whether the condition showed a failure when this replica last failed to reach the server, or this replica has
   * written the failure.
   */
  #sawFailure = false;
  #overruledUntil = Number.NEGATIVE_INFINITY;

  /**
   * Whether this replica may replace the condition with a finding.
   *
   * @param now the time in milliseconds, on any clock
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

  /** Called if the write that `maySay` allowed has failed. No other replica has seen the finding. */
  forget(): void {
    this.#sawFailure = false;
  }
}

/**
 * Whether a condition already shows a finding. For failed checks the message does not matter, because it has details
 * that differ between replicas.
 */
function isSameFinding(current: APIServiceCondition, { status, reason, message }: Finding): boolean {
  const same = current.status === status && current.reason === reason;
  return same && (current.message === message || reason === 'FailedDiscoveryCheck');
}
