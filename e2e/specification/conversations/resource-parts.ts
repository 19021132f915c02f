import type { Turn } from '../conversation.ts';

export const CORE = '/api/v1';
export const NS = `${CORE}/namespaces/default`;
export const MAPS = `${NS}/configmaps`;
export const RBAC = '/apis/rbac.authorization.orch.io/v1';
export const MERGE = { 'Content-Type': 'application/merge-patch+json' };
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

export const make = (name: string, more: object = {}): Turn => [
  `POST ${MAPS}`,
  201,
  [],
  { body: { metadata: { name, ...more } } },
];

export const LISTED = `${NS}/podtemplates`;
export const TEMPLATE = { spec: { containers: [{ name: 'c', image: 'i' }] } };
