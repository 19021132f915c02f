import assert from 'node:assert/strict';
import { makeRequest } from '#base/x509/testing/make-request.ts';
import { testPki } from '#server/testing/replica.ts';
import { type Conversations, is, type Says, type Turn } from '../conversation.ts';
import { bindAll, clusterRole, MERGE, SIGNER, signing, user } from './access-requests.ts';

const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests';
const condition = (type: string) => ({ conditions: [{ type, status: 'True', reason: 'R', message: 'm' }] });

const approve = (
  name: string,
  type: string,
  status: number,
  says: Says | readonly Says[] = [],
  more: object = {},
): Turn => [
  `PATCH ${REQUESTS}/${name}/approval`,
  status,
  says,
  { headers: MERGE, body: { status: condition(type) }, ...more },
];

const certificates = testPki().read('admin.crt');

const issue = (name: string, text: string, status: number, says: Says | readonly Says[] = []): Turn => [
  `PATCH ${REQUESTS}/${name}/status`,
  status,
  says,
  { headers: MERGE, body: { status: { certificate: Buffer.from(text).toString('base64') } } },
];

export const SIGNING: Conversations = {
  'a request with request, signer and usages is pending': [[`POST ${REQUESTS}`, 201, is('status', {}), signing('r1')]],
  'a certificate signing request needs a valid PKCS#10 request': [
    [`POST ${REQUESTS}`, 422, 'spec.request', signing('bad', { request: Buffer.from('x').toString('base64') })],
  ],
  'a certificate signing request needs a signer': [
    [`POST ${REQUESTS}`, 422, 'spec.signerName', signing('bad', { signerName: undefined })],
    [`POST ${REQUESTS}`, 422, 'spec.signerName', signing('bad', { signerName: 'no-domain' })],
  ],
  'a certificate signing request needs known usages without duplicates': [
    [`POST ${REQUESTS}`, 422, 'spec.usages', signing('bad', { usages: [] })],
    [`POST ${REQUESTS}`, 422, 'spec.usages[0]', signing('bad', { usages: ['juggling'] })],
    [`POST ${REQUESTS}`, 422, 'spec.usages[1]: Duplicate', signing('bad', { usages: ['client auth', 'client auth'] })],
  ],
  'expirationSeconds of a certificate signing request is at least 600': [
    [`POST ${REQUESTS}`, 422, 'spec.expirationSeconds', signing('bad', { expirationSeconds: 599 })],
    [`POST ${REQUESTS}`, 201, [], signing('short', { expirationSeconds: 600 })],
  ],
  'the legacy-unknown signer accepts no new requests': [
    [`POST ${REQUESTS}`, 422, 'spec.signerName', signing('bad', { signerName: 'orch.io/legacy-unknown' })],
  ],
  'a condition Approved by the approval sub-resource approves': [
    [`PATCH ${REQUESTS}/r1`, 200, is('status', {}), { headers: MERGE, body: { status: condition('Approved') } }],
    approve('r1', 'Approved', 200, is('status.conditions.0.type', 'Approved')),
  ],
  'a condition Denied by the approval sub-resource denies': [
    approve('short', 'Denied', 200, is('status.conditions.0.type', 'Denied')),
    approve('short', 'Approved', 422, []),
  ],
  'an approver needs the permission to approve for the signer': [
    [`POST ${REQUESTS}`, 201, [], signing('r2')],
    clusterRole('approvers', {
      apiGroups: ['certificates.orch.io'],
      resources: ['certificatesigningrequests/approval'],
      verbs: ['patch', 'update'],
    }),
    bindAll('approvers', 'approvers', user('approver')),
    approve('r2', 'Approved', 403, 'not permitted to approve', {
      headers: { ...MERGE, 'Impersonate-User': 'approver' },
    }),
    clusterRole('approves', {
      apiGroups: ['certificates.orch.io'],
      resources: ['signers'],
      resourceNames: [SIGNER],
      verbs: ['approve'],
    }),
    bindAll('approves', 'approves', user('approver')),
    approve('r2', 'Approved', 200, [], { headers: { ...MERGE, 'Impersonate-User': 'approver' } }),
  ],
  'the signer writes the certificate by the status sub-resource': [
    [
      `PATCH ${REQUESTS}/r1`,
      200,
      ({ json }) => assert.equal(json.status.certificate, undefined),
      { headers: MERGE, body: { status: { certificate: Buffer.from(certificates).toString('base64') } } },
    ],
    issue('r1', certificates, 200, is('status.certificate', Buffer.from(certificates).toString('base64'))),
  ],
  'a signer needs the permission to sign for the signer name': [
    clusterRole('signers', {
      apiGroups: ['certificates.orch.io'],
      resources: ['certificatesigningrequests/status'],
      verbs: ['patch'],
    }),
    bindAll('signers', 'signers', user('signer')),
    [
      `PATCH ${REQUESTS}/r2/status`,
      403,
      'not permitted to sign',
      {
        headers: { ...MERGE, 'Impersonate-User': 'signer' },
        body: { status: { certificate: Buffer.from(certificates).toString('base64') } },
      },
    ],
    clusterRole('signs', {
      apiGroups: ['certificates.orch.io'],
      resources: ['signers'],
      resourceNames: [SIGNER],
      verbs: ['sign'],
    }),
    bindAll('signs', 'signs', user('signer')),
    [
      `PATCH ${REQUESTS}/r2/status`,
      200,
      [],
      {
        headers: { ...MERGE, 'Impersonate-User': 'signer' },
        body: { status: { certificate: Buffer.from(certificates).toString('base64') } },
      },
    ],
  ],
  'an issued certificate is PEM with only CERTIFICATE blocks': [
    [`POST ${REQUESTS}`, 201, [], signing('r3')],
    issue('r3', 'x', 422, 'status.certificate'),
    issue('r3', certificates.replaceAll('CERTIFICATE', 'SOMETHING'), 422, 'status.certificate'),
  ],
  'a condition of a certificate signing request has a status and a unique type': [
    [
      `PATCH ${REQUESTS}/r3/approval`,
      422,
      'status.conditions[0].status',
      { headers: MERGE, body: { status: { conditions: [{ type: 'Approved' }] } } },
    ],
    [
      `PATCH ${REQUESTS}/r3/approval`,
      422,
      'status.conditions[1].type',
      {
        headers: MERGE,
        body: { status: { conditions: [...condition('Approved').conditions, ...condition('Approved').conditions] } },
      },
    ],
  ],
  'a client certificate for the group system:masters cannot be requested': [
    [
      `POST ${REQUESTS}`,
      403,
      'system:masters',
      signing('bad', {
        request: makeRequest({
          subject: [
            ['O', 'system:masters'],
            ['CN', 'x'],
          ],
        }),
        signerName: 'orch.io/apiserver-client',
      }),
    ],
  ],
};
