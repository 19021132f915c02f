import { readCertificateRequest } from '#base/x509/certificate-request.ts';
import { isConflict, isNotFound } from '#client/errors.ts';
import { authorizationV1, certificatesV1 } from '#client/generated/resources.ts';
import type { CertificateSigningRequest } from '#schema/generated/certificates.v1.ts';
import { controller, need } from '../controller.ts';
import { commonNameOf, nodeClientProblem } from './node-rules.ts';
import { isPending, pemOf } from './request-state.ts';

const REQUESTS = certificatesV1.certificatesigningrequests;
const SOONEST_MS = 1_000;
const LATEST_MS = 300_000;

/**
 * The subresources that a user must be allowed to create, so that its request is approved without review by a person.
 */
const WAYS = [
  { subresource: 'selfnodeclient', own: true, whose: 'self ' },
  { subresource: 'nodeclient', own: false, whose: '' },
] as const;

/**
 * Approves requests of nodes for client certificates. In an access review it asks the API server whether the requester
 * may have a certificate for any node, or only for itself. All other requests wait for the decision of an
 * administrator.
 */
export const approvingController = controller({
  name: 'csrapproving',
  account: 'certificate-controller',
  needs: [need(REQUESTS, { fields: ['spec', 'status'] })],

  start({ client, informer, queue, naming, log, signal, now }) {
    const requests = informer(REQUESTS);
    const group = naming.group('certificates');
    const signer = naming.key('apiserver-client-kubelet');

    const isAllowed = async ({ spec }: CertificateSigningRequest, subresource: string): Promise<boolean> => {
      const { username: user, uid, groups, extra } = spec;
      const resourceAttributes = { group, version: '*', resource: REQUESTS.plural, subresource, verb: 'create' };
      const review = await client
        .resource(authorizationV1.subjectaccessreviews)
        .create({ metadata: {}, spec: { user, uid, groups, extra, resourceAttributes } } as never);
      return review.status?.allowed === true;
    };

    const names = queue(async (name) => {
      const copy = requests.get(name);
      if (copy === undefined || copy.metadata.deletionTimestamp || !isPending(copy)) return;
      if (copy.spec.signerName !== signer) return;
      const commonName = recognize(copy);
      if (commonName === undefined) return;
      for (const { subresource, own, whose } of WAYS) {
        if (own && copy.spec.username !== commonName) continue;
        if (!(await isAllowed(copy, subresource))) continue;
        const message = `Auto approving ${whose}kubelet client certificate after SubjectAccessReview.`;
        try {
          const current = await client.resource(REQUESTS).get(name);
          if (current.metadata.uid !== copy.metadata.uid || !isPending(current)) return;
          const condition = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
          const conditions = [...(current.status?.conditions ?? []), condition];
          const next = { ...current, status: { ...current.status, conditions } };
          await client.resource(REQUESTS).update(next, { subresource: 'approval' });
          log.info({ name, subresource }, 'approved the certificate request');
        } catch (error) {
          // The request is gone, or another client has decided. The cached copy will show it soon.
          if (isNotFound(error) || isConflict(error)) return;
          throw error;
        }
        return;
      }
      // An administrator may grant the permission later, and no event reports that. So the time until the next check is
      // as long as the request has already waited.
      const waited = now() - Date.parse(copy.metadata.creationTimestamp ?? '');
      return { afterMs: Math.min(LATEST_MS, Math.max(SOONEST_MS, waited || 0)) };
    });
    const changed = ({ metadata }: CertificateSigningRequest) => names.add(metadata.name!);
    requests.on({ added: changed, updated: changed }, signal);
  },
});

/** The common name in a node's request for a client certificate; undefined for other requests. */
function recognize({ spec }: CertificateSigningRequest): string | undefined {
  try {
    const request = readCertificateRequest(pemOf(spec.request));
    return nodeClientProblem({ request, usages: spec.usages ?? [] }) === undefined ? commonNameOf(request) : undefined;
  } catch {
    return undefined;
  }
}
