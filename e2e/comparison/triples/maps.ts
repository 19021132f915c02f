import type { JsonObject } from '#base/json/json-value.ts';
import { configMap, container, deployment, inContainer, inPods, object, type Triple } from './triple.ts';

const secret = (rest: Parameters<typeof object>[2]) => object('v1', 'Secret', rest);

const volume = (claimRef: JsonObject): JsonObject =>
  object('v1', 'PersistentVolume', {
    spec: {
      ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/v' } },
      claimRef,
    },
  });

/** Triples about fields, and about members of maps. */
export const mapTriples: readonly Triple[] = [
  {
    what: 'data: changed, dropped and added, beside what others have added',
    file: configMap({ a: '1', b: '1' }),
    change: { data: { x: 'others' } },
    next: configMap({ a: '2', c: '1' }),
  },
  {
    what: 'data: what others have changed is brought back',
    file: configMap({ a: '1' }),
    change: { data: { a: 'others' } },
    next: configMap({ a: '1' }),
  },
  {
    what: 'data: what others have taken out is put back',
    file: configMap({ a: '1', b: '1' }),
    change: { data: { a: null } },
    next: configMap({ a: '1', b: '1' }),
  },
  {
    what: 'data: dropped as a whole',
    file: configMap({ a: '1' }),
    change: { data: { x: 'others' } },
    next: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } },
  },
  {
    what: 'data: empty now',
    file: configMap({ a: '1' }),
    change: { data: { x: 'others' } },
    next: configMap({}),
  },
  {
    what: 'labels and annotations beside those of others',
    file: configMap({}, { labels: { a: '1', b: '1' }, annotations: { a: '1', b: '1' } }),
    change: { metadata: { labels: { x: 'y', b: 'others' }, annotations: { x: 'y', a: 'others' } } },
    next: configMap({}, { labels: { a: '2' }, annotations: { a: '1', c: '1' } }),
  },
  {
    what: 'keys with slashes and dots',
    file: configMap({ 'a.b': '1', a_b: '1' }, { labels: { 'example.com/a': '1' } }),
    change: { metadata: { labels: { 'example.com/x': '1' } } },
    next: configMap({ 'a.b': '2' }, { labels: { 'example.com/b': '1' } }),
  },
  {
    what: 'binary data and an immutable flag',
    file: { ...configMap({ a: '1' }), binaryData: { b: 'AAEC' } },
    next: { ...configMap({ a: '1' }), binaryData: { c: 'AAEC' }, immutable: true },
  },
  {
    what: 'stringData of a secret',
    file: secret({ stringData: { a: '1', b: '1' } }),
    change: { data: { x: 'eA==' } },
    next: secret({ stringData: { a: '2' } }),
  },
  {
    what: 'data of a secret becomes stringData',
    file: secret({ data: { a: 'MQ==' } }),
    next: secret({ stringData: { a: '2' } }),
  },
  {
    what: 'quantities that are spelt otherwise',
    file: container({ resources: { limits: { cpu: '1000m', memory: '1Gi' } } }),
    change: inContainer({ resources: { requests: { cpu: '500m' } } }),
    next: container({ resources: { limits: { cpu: '1', memory: '1024Mi' } } }),
  },
  {
    what: 'a node selector, which is an atomic map of templates',
    file: deployment({ nodeSelector: { a: '1', b: '1' } }),
    change: inPods({ nodeSelector: { x: 'others' } }),
    next: deployment({ nodeSelector: { a: '2' } }),
  },
  {
    what: 'a selector, which is replaced as a whole',
    file: object('policy/v1', 'PodDisruptionBudget', {
      spec: { minAvailable: 1, selector: { matchLabels: { a: '1', b: '1' } } },
    }),
    change: { spec: { selector: { matchLabels: { a: 'others', x: 'y' } } } },
    next: object('policy/v1', 'PodDisruptionBudget', {
      spec: {
        minAvailable: 1,
        selector: { matchLabels: { a: '1' }, matchExpressions: [{ key: 'k', operator: 'Exists' }] },
      },
    }),
  },
  {
    what: 'a selector that stays, of which others have changed nothing',
    file: object('policy/v1', 'PodDisruptionBudget', {
      spec: { minAvailable: 1, selector: { matchLabels: { a: '1', b: '1' } } },
    }),
    change: { spec: { minAvailable: 2 } },
    next: object('policy/v1', 'PodDisruptionBudget', {
      spec: { maxUnavailable: 1, selector: { matchLabels: { a: '1', b: '1' } } },
    }),
  },
  {
    what: 'a volume whose claim others have chosen',
    file: volume({ namespace: 'PLACE', name: 'c' }),
    change: { spec: { claimRef: { uid: '00000000-0000-0000-0000-00000000000c' } } },
    next: volume({ namespace: 'PLACE', name: 'c', kind: 'PersistentVolumeClaim' }),
  },
  {
    what: 'replicas that others have scaled, and that the file leaves out',
    file: deployment({}),
    change: { spec: { replicas: 5 } },
    next: deployment({ terminationGracePeriodSeconds: 1 }),
  },
  {
    what: 'replicas that the file drops',
    file: deployment({}, { replicas: 3 }),
    next: deployment({}),
  },
  {
    what: 'a number or a text',
    file: deployment({}, { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } } }),
    next: deployment({}, { strategy: { rollingUpdate: { maxSurge: '50%', maxUnavailable: 2 } } }),
  },
  {
    what: 'free-form data of a revision stays',
    file: object('apps/v1', 'ControllerRevision', { revision: 1, data: { a: 1, b: 'x' } }),
    change: { metadata: { labels: { x: 'y' } } },
    next: object('apps/v1', 'ControllerRevision', { revision: 2, data: { a: 1, b: 'x' } }),
  },
  {
    what: 'nothing of what others have changed is contested',
    flags: ['--overwrite=false'],
    file: configMap({ a: '1', b: '1' }),
    change: { data: { x: 'others' } },
    next: configMap({ a: '2', b: '1' }),
  },
  {
    what: 'others have changed what the file wants to be something else',
    flags: ['--overwrite=false'],
    file: configMap({ a: '1', b: '1' }),
    change: { data: { a: 'others' } },
    next: configMap({ a: '2', b: '1' }),
  },
];
