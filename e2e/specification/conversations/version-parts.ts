import type { Turn } from '../conversation.ts';

export const NS = '/api/v1/namespaces/default';
export const LIST = `${NS}/podtemplates`;
const TEMPLATE = { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } };

export const add = (name: string, keep = 'rv'): Turn => [
  `POST ${LIST}`,
  201,
  [],
  { body: { metadata: { name }, ...TEMPLATE }, keep: { [keep]: 'metadata.resourceVersion' } },
];
