import assert from 'node:assert/strict';
import type { StatusBody } from '#client/errors.ts';
import { type Refusal, readRefusal } from './read-refusal.ts';

const status = (code: number, message: string, more: Partial<StatusBody> = {}): StatusBody => ({
  code,
  message,
  ...more,
});

const cases: readonly [what: string, status: StatusBody, refusal: Refusal | undefined][] = [
  [
    'a missing permission in a namespace',
    status(
      403,
      'pods "web" is forbidden: User "jane \\"x\\" &lt;b&gt;" cannot get resource "pods/log" in API group "" in the namespace "shop"',
      { details: { name: 'web', kind: 'pods' } as StatusBody['details'] & object },
    ),
    {
      kind: 'authorization',
      user: 'jane "x" <b>',
      verb: 'get',
      path: '',
      resource: 'pods/log',
      group: '',
      namespace: 'shop',
      name: 'web',
      reason: '',
    },
  ],
  [
    'a missing permission in the cluster, with the reasons of the authorizers',
    status(
      403,
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "example.com" at the cluster scope: RBAC: role "x" not found',
    ),
    {
      kind: 'authorization',
      user: 'jane',
      verb: 'list',
      path: '',
      resource: 'nodes',
      group: 'example.com',
      namespace: '',
      name: '',
      reason: 'RBAC: role "x" not found',
    },
  ],
  [
    'a missing permission for a path',
    status(403, 'forbidden: User "jane" cannot get path "/metrics"'),
    {
      kind: 'authorization',
      user: 'jane',
      verb: 'get',
      path: '/metrics',
      resource: '',
      group: '',
      namespace: '',
      name: '',
      reason: '',
    },
  ],
  [
    'a quota',
    status(
      403,
      'pods "web" is forbidden: exceeded quota: small, requested: cpu=2,pods=1, used: cpu=3,pods=4, limited: cpu=4,pods=4',
    ),
    {
      kind: 'quota',
      quota: 'small',
      numbers: [
        { resource: 'cpu', requested: '2', used: '3', limited: '4' },
        { resource: 'pods', requested: '1', used: '4', limited: '4' },
      ],
    },
  ],
  [
    'a policy that answers 422',
    status(
      422,
      "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'few' with binding 'few-here' denied request: at most 5 replicas",
      { reason: 'Invalid' },
    ),
    {
      kind: 'policy',
      type: 'ValidatingAdmissionPolicy',
      policy: 'few',
      binding: 'few-here',
      message: 'at most 5 replicas',
    },
  ],
  [
    'a webhook',
    status(400, 'admission webhook "images.example.com" denied the request: not from there'),
    { kind: 'webhook', webhook: 'images.example.com', message: 'not from there' },
  ],
  [
    'a webhook without a reason',
    status(400, 'admission webhook "images.example.com" denied the request without explanation'),
    { kind: 'webhook', webhook: 'images.example.com', message: '' },
  ],
  [
    'permissions that the user cannot grant',
    status(
      403,
      'roles "a" is forbidden: user "jane" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ),
    { kind: 'escalation', rules: ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'] },
  ],
  [
    'an admission plug-in',
    status(403, 'pods "web" is forbidden: violates PodSecurity "restricted:latest": host namespaces'),
    { kind: 'plug-in', message: 'violates PodSecurity "restricted:latest": host namespaces' },
  ],
  ['a validation error', status(422, 'Pod "web" is invalid', { reason: 'Invalid' }), { kind: 'validation' }],
  ['a conflict', status(409, 'the object has been modified', { reason: 'Conflict' }), { kind: 'conflict' }],
  ['an error that is not a refusal', status(404, 'pods "web" not found'), undefined],
];

describe('readRefusal', () => {
  for (const [what, body, refusal] of cases) it(what, () => assert.deepEqual(readRefusal(body), refusal));
});
