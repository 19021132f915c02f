import type { JsonObject } from '#base/json/json-value.ts';

/** One request. Paths and bodies are in the neutral naming. */
export type Act = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: JsonObject];

const meta = (name: string, more: JsonObject = {}): JsonObject => ({ metadata: { name, ...more } });

const namespace = (name: string): Act => ['POST', '/api/v1/namespaces', meta(name)];
const within = (space: string, resource: string): string => `/api/v1/namespaces/${space}/${resource}`;
const grouped = (group: string, space: string, resource: string): string =>
  `/apis/${group}/namespaces/${space}/${resource}`;

interface PodCase {
  readonly labels?: JsonObject;
  readonly ready?: boolean;
  readonly phase?: string;
  readonly ip?: string;
  readonly node?: string;
  readonly owner?: JsonObject;
  readonly spec?: JsonObject;
}

/** A pod, and the status that its node reports. */
function pod(space: string, name: string, about: PodCase = {}): Act[] {
  const { labels = {}, ready = true, phase = 'Running', ip = '', node = 'node-1', owner, spec = {} } = about;
  const path = within(space, 'pods');
  return [
    [
      'POST',
      path,
      {
        ...meta(name, { labels, ...(owner !== undefined && { ownerReferences: [owner] }) }),
        spec: {
          ...(node !== '' && { nodeName: node }),
          automountServiceAccountToken: false,
          containers: [
            {
              name: 'c',
              image: 'i',
              ports: [
                { name: 'web', containerPort: 8080 },
                { name: 'dns', containerPort: 53, protocol: 'UDP' },
              ],
            },
          ],
          ...spec,
        },
      },
    ],
    [
      'PUT',
      `${path}/${name}/status`,
      {
        ...meta(name),
        status: {
          phase,
          ...(ip !== '' && { podIP: ip, podIPs: [{ ip }] }),
          conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
        },
      },
    ],
  ];
}

const service = (name: string, spec: JsonObject, more: JsonObject = {}): Act => [
  'POST',
  within('net', 'services'),
  { ...meta(name, more), spec },
];

const WEB = { app: 'web' };

/** Services with and without selectors, and pods that they find. */
const network: readonly Act[] = [
  namespace('net'),
  ...pod('net', 'ready-1', { labels: WEB, ip: '10.1.0.1' }),
  ...pod('net', 'ready-2', {
    labels: WEB,
    ip: '10.1.0.2',
    node: 'node-2',
    spec: { hostname: 'two', subdomain: 'headless' },
  }),
  ...pod('net', 'unready', { labels: WEB, ip: '10.1.0.3', ready: false }),
  ...pod('net', 'without-address', { labels: WEB }),
  ...pod('net', 'finished', { labels: WEB, ip: '10.1.0.4', phase: 'Succeeded', ready: false }),
  ...pod('net', 'failed', { labels: WEB, ip: '10.1.0.5', phase: 'Failed', ready: false }),
  ...pod('net', 'pending', { labels: WEB, ip: '10.1.0.6', phase: 'Pending', ready: false }),
  ...pod('net', 'other', { labels: { app: 'other' }, ip: '10.1.0.7' }),
  service('plain', { selector: WEB, ports: [{ port: 80, targetPort: 8080 }] }),
  service('named', {
    selector: WEB,
    ports: [
      { name: 'a', port: 80, targetPort: 'web' },
      { name: 'b', port: 53, targetPort: 'dns', protocol: 'UDP' },
    ],
  }),
  service('unknown-port', { selector: WEB, ports: [{ port: 80, targetPort: 'none' }] }),
  service('headless', { clusterIP: 'None', selector: WEB, ports: [{ port: 80 }] }),
  service('headless-bare', { clusterIP: 'None', selector: WEB }),
  service('not-ready', { selector: WEB, publishNotReadyAddresses: true, ports: [{ port: 80 }] }),
  service('nobody', { selector: { app: 'nobody' }, ports: [{ port: 80 }] }),
  service('unselected', { ports: [{ port: 80 }] }),
  service('external', { type: 'ExternalName', externalName: 'example.com' }),
  service(
    'labelled',
    { selector: WEB, ports: [{ port: 80, appProtocol: 'http' }] },
    { labels: { team: 'x' }, annotations: { note: 'y' } },
  ),
  service('balanced', { type: 'LoadBalancer', selector: WEB, ports: [{ port: 80 }] }),
  service('local', {
    type: 'NodePort',
    externalTrafficPolicy: 'Local',
    selector: { app: 'other' },
    ports: [{ port: 80 }],
  }),
  [
    'POST',
    within('net', 'endpoints'),
    { ...meta('by-hand'), subsets: [{ addresses: [{ ip: '10.9.0.1' }], ports: [{ port: 1 }] }] },
  ],
];

/** Changes of the pods of a service. */
const networkLater: readonly Act[] = [
  ['DELETE', `${within('net', 'pods')}/ready-2?gracePeriodSeconds=0`],
  ['PATCH', `${within('net', 'pods')}/other`, { metadata: { labels: { app: 'nobody' } } }],
  ['PATCH', `${within('net', 'services')}/plain`, { spec: { ports: [{ port: 80, targetPort: 8081 }] } }],
  [
    'PATCH',
    `${within('net', 'services')}/labelled`,
    { metadata: { labels: { team: 'z' } }, spec: { selector: { app: 'nobody', extra: null } } },
  ],
  ['DELETE', `${within('net', 'services')}/not-ready`],
];

const budget = (name: string, spec: JsonObject): Act => [
  'POST',
  grouped('policy/v1', 'budgets', 'poddisruptionbudgets'),
  { ...meta(name), spec },
];
const app = (name: string) => ({ selector: { matchLabels: { app: name } } });

/** Budgets, and the pods that they count. */
const disruption: readonly Act[] = [
  namespace('budgets'),
  [
    'POST',
    grouped('apps/v1', 'budgets', 'replicasets'),
    {
      ...meta('rs'),
      spec: {
        replicas: 5,
        ...app('counted'),
        template: { metadata: { labels: { app: 'counted' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    },
  ],
  ...[1, 2, 3].flatMap((i) => pod('budgets', `free-${i}`, { labels: { app: 'free' }, ready: i !== 3 })),
  budget('least', { minAvailable: 1, ...app('free') }),
  budget('least-percent', { minAvailable: '50%', ...app('free') }),
  budget('most', { maxUnavailable: 1, ...app('free') }),
  budget('nobody', { minAvailable: 1, ...app('nobody') }),
  budget('everybody', { minAvailable: 1, selector: {} }),
  budget('nothing', { minAvailable: 1 }),
];

const quota = (name: string, spec: JsonObject): Act => [
  'POST',
  within('quotas', 'resourcequotas'),
  { ...meta(name), spec },
];
const asking = (requests: JsonObject, limits: JsonObject = requests): JsonObject => ({
  containers: [{ name: 'c', image: 'i', resources: { requests, limits } }],
});

/** Limits, and the objects that count against them. */
const quotas: readonly Act[] = [
  namespace('quotas'),
  ...pod('quotas', 'small', { spec: asking({ cpu: '100m', memory: '64Mi' }) }),
  ...pod('quotas', 'large', { spec: asking({ cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi' }) }),
  ...pod('quotas', 'effortless', {}),
  ...pod('quotas', 'done', { phase: 'Succeeded', ready: false, spec: asking({ cpu: '5', memory: '5Gi' }) }),
  ...pod('quotas', 'bounded', { spec: { ...asking({ cpu: '2', memory: '2Gi' }), activeDeadlineSeconds: 1000 } }),
  ['POST', within('quotas', 'configmaps'), meta('one')],
  ['POST', within('quotas', 'secrets'), meta('one')],
  [
    'POST',
    within('quotas', 'services'),
    {
      ...meta('balanced'),
      spec: {
        type: 'LoadBalancer',
        ports: [{ port: 80 }, { name: 'b', port: 81 }].map((port, i) => ({ name: `p${i}`, ...port })),
      },
    },
  ],
  ['POST', within('quotas', 'services'), { ...meta('ported'), spec: { type: 'NodePort', ports: [{ port: 80 }] } }],
  [
    'POST',
    within('quotas', 'persistentvolumeclaims'),
    {
      ...meta('gold'),
      spec: { storageClassName: 'gold', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
  [
    'POST',
    within('quotas', 'persistentvolumeclaims'),
    {
      ...meta('plain'),
      spec: { storageClassName: '', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500Mi' } } },
    },
  ],
  quota('counts', {
    hard: {
      pods: '10',
      configmaps: '10',
      secrets: '10',
      services: '10',
      'services.nodeports': '10',
      'services.loadbalancers': '10',
      replicationcontrollers: '10',
      'count/deployments.apps': '5',
      'count/configmaps': '9',
      'count/leases.coordination.orch.io': '3',
    },
  }),
  quota('compute', {
    hard: {
      cpu: '10',
      memory: '10Gi',
      'limits.cpu': '20',
      'limits.memory': '20Gi',
      'requests.ephemeral-storage': '10Gi',
    },
  }),
  quota('storage', {
    hard: {
      persistentvolumeclaims: '5',
      'requests.storage': '10Gi',
      'gold.storageclass.storage.orch.io/requests.storage': '5Gi',
      'gold.storageclass.storage.orch.io/persistentvolumeclaims': '5',
    },
  }),
  quota('effortless', { hard: { pods: '5' }, scopes: ['BestEffort'] }),
  quota('effort', { hard: { pods: '5', cpu: '10' }, scopes: ['NotBestEffort'] }),
  quota('ending', { hard: { pods: '5' }, scopes: ['Terminating'] }),
  quota('lasting', { hard: { pods: '5' }, scopes: ['NotTerminating'] }),
  quota('classes', {
    hard: { pods: '5' },
    scopeSelector: {
      matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }],
    },
  }),
  quota('unknown', { hard: { 'example.com/thing': '5', 'requests.example.com/gpu': '3' } }),
];

const quotasLater: readonly Act[] = [
  ['DELETE', `${within('quotas', 'pods')}/large?gracePeriodSeconds=0`],
  ['PATCH', `${within('quotas', 'resourcequotas')}/counts`, { spec: { hard: { pods: '1', configmaps: null } } }],
];

/** Accounts, their tokens, and the aggregation of roles. */
const identities: readonly Act[] = [
  namespace('accounts'),
  ['POST', within('accounts', 'serviceaccounts'), meta('robot')],
  [
    'POST',
    within('accounts', 'secrets'),
    {
      ...meta('robot-token', { annotations: { 'orch.io/service-account.name': 'robot' } }),
      type: 'orch.io/service-account-token',
    },
  ],
  [
    'POST',
    '/apis/rbac.authorization.orch.io/v1/clusterroles',
    {
      ...meta('together'),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'a' } }, { matchLabels: { part: 'b' } }] },
      rules: [],
    },
  ],
  [
    'POST',
    '/apis/rbac.authorization.orch.io/v1/clusterroles',
    { ...meta('part-b', { labels: { part: 'b' } }), rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  ],
  [
    'POST',
    '/apis/rbac.authorization.orch.io/v1/clusterroles',
    {
      ...meta('part-a', { labels: { part: 'a' } }),
      rules: [
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'] },
        { nonResourceURLs: ['/x'], verbs: ['get'] },
      ],
    },
  ],
];

const identitiesLater: readonly Act[] = [
  ['DELETE', `${within('accounts', 'serviceaccounts')}/default`],
  ['DELETE', `${within('accounts', 'configmaps')}/orch-root-ca.crt`],
  ['DELETE', '/apis/rbac.authorization.orch.io/v1/clusterroles/part-a'],
];

const volume = (name: string, spec: JsonObject, more: JsonObject = {}): Act => [
  'POST',
  '/api/v1/persistentvolumes',
  {
    ...meta(name, more),
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, ...spec },
  },
];
const claim = (name: string, spec: JsonObject): Act => [
  'POST',
  within('volumes', 'persistentvolumeclaims'),
  { ...meta(name), spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec } },
];

/** Volumes, and the claims to which they are bound. */
const volumes: readonly Act[] = [
  namespace('volumes'),
  [
    'POST',
    '/apis/storage.orch.io/v1/storageclasses',
    { ...meta('later'), provisioner: 'orch.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' },
  ],
  ['POST', '/apis/storage.orch.io/v1/storageclasses', { ...meta('made'), provisioner: 'example.com/maker' }],
  volume('bare', { storageClassName: '' }),
  volume('big', { capacity: { storage: '10Gi' }, storageClassName: 'static' }),
  volume('fitting', { capacity: { storage: '2Gi' }, storageClassName: 'static' }),
  volume('labelled', { storageClassName: 'picked' }, { labels: { tier: 'x' } }),
  volume('many', { accessModes: ['ReadWriteMany'], storageClassName: 'many' }),
  volume('wanted', { storageClassName: 'static-2' }),
  volume('reserved', { storageClassName: 'kept', claimRef: { namespace: 'volumes', name: 'reserving' } }),
  volume('block', { storageClassName: 'block', volumeMode: 'Block' }),
  volume('waiting', { storageClassName: 'later' }),
  claim('bare', { storageClassName: '' }),
  claim('fitting', { storageClassName: 'static', resources: { requests: { storage: '1500Mi' } } }),
  claim('picked', { storageClassName: 'picked', selector: { matchLabels: { tier: 'x' } } }),
  claim('picky', { storageClassName: 'picked', selector: { matchLabels: { tier: 'y' } } }),
  claim('many', { storageClassName: 'many', accessModes: ['ReadWriteMany'] }),
  claim('wanting', { storageClassName: 'static-2', volumeName: 'wanted' }),
  claim('lost', { storageClassName: 'static-2', volumeName: 'not-there' }),
  claim('reserving', { storageClassName: 'kept' }),
  claim('block', { storageClassName: 'block', volumeMode: 'Block' }),
  claim('not-block', { storageClassName: 'block' }),
  claim('waiting', { storageClassName: 'later' }),
  claim('made', { storageClassName: 'made' }),
  claim('too-large', { storageClassName: 'static', resources: { requests: { storage: '50Gi' } } }),
  ...pod('volumes', 'user', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'many' } }] } }),
];

const volumesLater: readonly Act[] = [
  ['DELETE', `${within('volumes', 'persistentvolumeclaims')}/bare`],
  ['DELETE', `${within('volumes', 'persistentvolumeclaims')}/many`],
  ['DELETE', '/api/v1/persistentvolumes/fitting'],
];

/** Owners that are deleted in each of the ways. */
const owner = (space: string, name: string): Act => ['POST', within(space, 'configmaps'), meta(name)];

/** The nodes of the cluster. */
const nodes: readonly Act[] = [
  ['POST', '/api/v1/nodes', meta('node-1')],
  ['POST', '/api/v1/nodes', meta('node-2')],
];

const doomed: readonly Act[] = [
  namespace('doomed'),
  owner('doomed', 'a'),
  ['POST', within('doomed', 'configmaps'), meta('held', { finalizers: ['example.com/hold'] })],
  ...pod('doomed', 'p'),
  ['POST', within('doomed', 'services'), { ...meta('s'), spec: { ports: [{ port: 80 }] } }],
  namespace('gone'),
  owner('gone', 'a'),
];

const begin = [...nodes, ...network, ...disruption, ...quotas, ...identities, ...volumes, ...doomed];
const isNamespace = ([, path]: Act): boolean => path === '/api/v1/namespaces';

/**
 * The actions, in steps. After each step the managers have time for their work, because pods need the accounts of
 * namespaces.
 */
export const work: readonly (readonly Act[])[] = [
  begin.filter(isNamespace),
  begin.filter((act) => !isNamespace(act)),
  [
    ...networkLater,
    ...quotasLater,
    ...identitiesLater,
    ...volumesLater,
    ['DELETE', '/api/v1/namespaces/doomed'],
    ['DELETE', '/api/v1/namespaces/gone'],
  ],
];
