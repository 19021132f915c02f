import { X509Certificate } from 'node:crypto';
import { isConflict, isNotFound } from '#client/errors.ts';
import { certificatesV1 } from '#client/generated/resources.ts';
import type { CertificateSigningRequest } from '#schema/generated/certificates.v1.ts';
import { controller, need } from '../controller.ts';
import { conditionOf, isIssued, isPending, pemOf } from './request-state.ts';

const REQUESTS = certificatesV1.certificatesigningrequests;
const HOUR_MS = 3_600_000;
const DECIDED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;
/** The longest waiting time, in milliseconds. After a change of the clock, the work must not be late for long. */
const LOOK_AGAIN_MS = HOUR_MS;

/**
 * Removes certificate requests. This happens an hour after they were approved, denied or failed, a day after their
 * creation if they are undecided, and when the issued certificate expires.
 */
export const cleanerController = controller({
  name: 'csrcleaner',
  account: 'certificate-controller',
  needs: [need(REQUESTS, { fields: ['spec', 'status'] })],

  start({ client, informer, queue, log, signal, now }) {
    const requests = informer(REQUESTS);
    const names = queue(async (name) => {
      const copy = requests.get(name);
      if (copy === undefined || copy.metadata.deletionTimestamp) return;
      const left = endOf(copy) - now();
      if (left > 0) return { afterMs: Math.min(left, LOOK_AGAIN_MS) };
      const { uid, resourceVersion } = copy.metadata;
      try {
        await client
          .resource(REQUESTS)
          .delete(name, { preconditions: { uid: uid!, resourceVersion: resourceVersion! } });
        log.info({ name }, 'deleted an expired certificate request');
      } catch (error) {
        // The request was deleted or changed. The informer gets an event about it.
        if (isNotFound(error) || isConflict(error)) return;
        throw error;
      }
      return;
    });
    const changed = ({ metadata }: CertificateSigningRequest) => names.add(metadata.name!);
    requests.on({ added: changed, updated: changed }, signal);
  },
});

/** The time at which a request is removed, in milliseconds since 1970. */
function endOf(request: CertificateSigningRequest): number {
  const ends: number[] = [];
  if (isPending(request)) ends.push(time(request.metadata.creationTimestamp) + PENDING_MS);
  for (const type of ['Approved', 'Denied', 'Failed'] as const) {
    const condition = conditionOf(request, type);
    if (condition === undefined) continue;
    const since = condition.lastUpdateTime ?? condition.lastTransitionTime ?? request.metadata.creationTimestamp;
    ends.push(time(since) + DECIDED_MS);
  }
  if (isIssued(request)) ends.push(certificateEnd(pemOf(request.status?.certificate)));
  return Math.min(...ends);
}

function certificateEnd(pem: string): number {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function time(text: string | null | undefined): number {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms;
}
