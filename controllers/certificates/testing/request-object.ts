import { makeRequest, type RequestWish } from '#base/x509/testing/make-request.ts';
import type { CertificateSigningRequest } from '#schema/generated/certificates.v1.ts';

const NODE: RequestWish['subject'] = [
  ['CN', 'system:node:n1'],
  ['O', 'system:nodes'],
];
export const NODE_REQUEST: RequestWish = { subject: NODE };
export const CLIENT_USAGES = ['digital signature', 'key encipherment', 'client auth'];
export const SERVING_USAGES = ['digital signature', 'key encipherment', 'server auth'];

/** A request as an object, approved by default. */
export function requestObject(
  name: string,
  signerName: string,
  wish: RequestWish,
  more: { spec?: object; conditions?: readonly string[]; at?: string } = {},
): CertificateSigningRequest {
  const { spec, conditions = ['Approved'], at = new Date().toISOString() } = more;
  return {
    metadata: { name, creationTimestamp: at },
    spec: { request: makeRequest(wish), signerName, usages: CLIENT_USAGES, username: 'system:node:n1', ...spec },
    status: { conditions: conditions.map((type) => ({ type, status: 'True', reason: 'Test', lastUpdateTime: at })) },
  };
}
