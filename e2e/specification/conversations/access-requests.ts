import { makeRequest } from '#base/x509/testing/make-request.ts';
import type { Turn } from '../conversation.ts';

export const NS = '/api/v1/namespaces/default';
export const MAPS = `${NS}/configmaps`;
export const SECRETS = `${NS}/secrets`;
export const GROUP = 'rbac.authorization.orch.io';
export const RBAC = `/apis/${GROUP}/v1`;
export const MERGE = { 'Content-Type': 'application/merge-patch+json' };
export const SIGNER = 'orch.io/orch-apiserver-client';

export const role = (name: string, ...rules: object[]): Turn => [
  `POST ${RBAC}/namespaces/default/roles`,
  201,
  [],
  { body: { metadata: { name }, rules } },
];

export const clusterRole = (name: string, ...rules: object[]): Turn => [
  `POST ${RBAC}/clusterroles`,
  201,
  [],
  { body: { metadata: { name }, rules } },
];

export const user = (name: string) => ({ kind: 'User', name, apiGroup: GROUP });
export const group = (name: string) => ({ kind: 'Group', name, apiGroup: GROUP });

export const bind = (name: string, to: string, ...subjects: object[]): Turn => [
  `POST ${RBAC}/namespaces/default/rolebindings`,
  201,
  [],
  {
    body: {
      metadata: { name },
      subjects,
      roleRef: { kind: to.split('/')[0], name: to.split('/')[1], apiGroup: GROUP },
    },
  },
];

export const bindAll = (name: string, to: string, ...subjects: object[]): Turn => [
  `POST ${RBAC}/clusterrolebindings`,
  201,
  [],
  { body: { metadata: { name }, subjects, roleRef: { kind: 'ClusterRole', name: to, apiGroup: GROUP } } },
];

export const may = (verbs: string[], resources: string[], more: object = {}) => ({
  apiGroups: [''],
  verbs,
  resources,
  ...more,
});

export const as = (name: string, ...groups: string[]) => ({
  headers: { 'Impersonate-User': name, ...(groups.length === 0 ? {} : { 'Impersonate-Group': groups.join(',') }) },
});

export const map = (name: string) => ({ body: { metadata: { name } } });
export const token = (id: string) => `${id}.0123456789abcdef`;

export const signing = (name: string, more: object = {}) => ({
  body: {
    metadata: { name },
    spec: { request: makeRequest({ subject: [['CN', 'jane']] }), signerName: SIGNER, usages: ['client auth'], ...more },
  },
});
