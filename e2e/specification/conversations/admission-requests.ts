export const NS = '/api/v1/namespaces/default';
export const HOOKS = '/apis/admissionregistration.orch.io/v1';
export const MERGE = { 'Content-Type': 'application/merge-patch+json' };

export const pod = (name: string, spec: object = {}) => ({
  body: { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } },
});

export const webhook = (more: object = {}) => ({
  name: 'w.example.com',
  clientConfig: { url: 'https://x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});

export const rule = (more: object = {}) => ({
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['none'],
  ...more,
});
