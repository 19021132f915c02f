import type { JsonObject } from '#base/json/json-value.ts';
import { configMap, container, deployment, inContainer, inPods, object, type Triple } from './triple.ts';

const finalized = (...names: readonly string[]): JsonObject =>
  configMap({ a: '1' }, { finalizers: names.map((name) => `example.com/${name}`) });
const rules = (...rules: readonly JsonObject[]): JsonObject =>
  object('rbac.authorization.k8s.io/v1', 'Role', { rules: [...rules] });
const may = (...verbs: readonly string[]): JsonObject => ({ apiGroups: [''], resources: ['pods'], verbs: [...verbs] });
const flows = (...verbs: readonly string[]): JsonObject =>
  object('flowcontrol.apiserver.k8s.io/v1beta2', 'FlowSchema', {
    spec: {
      priorityLevelConfiguration: { name: 'exempt' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'u' } }],
          resourceRules: [{ verbs: [...verbs], apiGroups: [''], resources: ['pods'], namespaces: ['*'] }],
        },
      ],
    },
  });
const slice = (...addresses: readonly string[]): JsonObject =>
  object('discovery.k8s.io/v1', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: [...addresses] }],
    ports: [{ port: 80 }],
  });
const paths = (...names: readonly string[]): JsonObject =>
  object('networking.k8s.io/v1', 'Ingress', {
    spec: {
      rules: [
        {
          host: 'example.com',
          http: {
            paths: names.map((name) => ({
              ...{ path: `/${name}`, pathType: 'Prefix' },
              backend: { service: { name, port: { number: 80 } } },
            })),
          },
        },
      ],
    },
  });
const taint = (key: string): JsonObject => ({ key, operator: 'Exists', effect: 'NoSchedule' });
const job = (...values: readonly number[]): JsonObject =>
  object('batch/v1', 'Job', {
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } },
      podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [...values] } }] },
    },
  });

/** Lists of plain values, and lists that are replaced as a whole. */
export const plainListTriples: readonly Triple[] = [
  {
    what: 'finalizers beside those of others',
    file: finalized('a', 'b'),
    change: { metadata: { finalizers: ['example.com/x'] } },
    next: finalized('b', 'c'),
  },
  { what: 'finalizers: another order', file: finalized('a', 'b', 'c'), next: finalized('c', 'b', 'a') },
  {
    what: 'finalizers: others have taken one out',
    file: finalized('a', 'b'),
    change: { metadata: { finalizers: ['example.com/b'] } },
    by: 'merge',
    next: finalized('a', 'b'),
  },
  {
    what: 'finalizers: none any more',
    file: finalized('a'),
    change: { metadata: { finalizers: ['example.com/x'] } },
    next: configMap({ a: '1' }, { finalizers: [] }),
  },
  {
    what: 'ranges of a node',
    file: object('v1', 'Node', { spec: {} }),
    change: { spec: { unschedulable: true } },
    next: object('v1', 'Node', { spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] } }),
  },
  {
    what: 'words of a command, which are replaced',
    file: container({ command: ['a', 'b'], args: ['x', 'x', 'y'] }),
    change: inContainer({ command: ['others'] }),
    next: container({ command: ['b', 'a'], args: ['x', 'y', 'x'] }),
  },
  {
    what: 'tolerations, which are replaced',
    file: deployment({ tolerations: [taint('a'), taint('b')] }),
    change: inPods({ tolerations: [taint('others')] }),
    next: deployment({ tolerations: [taint('b')] }),
  },
  {
    what: 'rules of a role',
    file: rules(may('get')),
    change: { rules: [may('list')] },
    next: rules(may('get', 'watch')),
  },
  { what: 'a role without rules', file: rules(may('get')), next: rules() },
  { what: 'paths of an ingress', file: paths('a', 'b'), next: paths('b', 'c', 'a') },
  { what: 'verbs of a flow schema, which are a set', file: flows('get', 'list'), next: flows('watch', 'get') },
  {
    what: 'addresses of a slice, which are a set',
    file: slice('10.0.0.1', '10.0.0.2'),
    next: slice('10.0.0.3', '10.0.0.1'),
  },
  {
    what: 'exit codes of a job, which are a set',
    file: job(1, 2),
    change: { metadata: { labels: { x: 'y' } } },
    next: job(1, 2),
  },
  {
    what: 'modes of a driver',
    file: object('storage.k8s.io/v1', 'CSIDriver', { spec: { volumeLifecycleModes: ['Persistent', 'Ephemeral'] } }),
    change: { spec: { requiresRepublish: true } },
    next: object('storage.k8s.io/v1', 'CSIDriver', {
      spec: { volumeLifecycleModes: ['Persistent', 'Ephemeral'], requiresRepublish: false },
    }),
  },
];
