import { createNaming } from '#base/naming/create-naming.ts';

const naming = createNaming('kubernetes');
const namespace = 'streams';
/** The annotation that names the container to use. */
const CHOICE = naming.key('ctl/default-container');

function pod(name: string, nodeName: string | undefined, containers: readonly object[], more: object = {}): object {
  const { metadata, ...spec } = { metadata: {}, ...more };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name }, ...metadata },
    spec: { ...(nodeName === undefined ? {} : { nodeName }), containers, ...spec },
  };
}

const one = { name: 'one', image: 'x', ports: [{ name: 'web', containerPort: 8080 }] };
const two = { name: 'two', image: 'x', stdin: true, tty: true };
const template = (app: string) => ({ metadata: { labels: { app } }, spec: { containers: [one] } });

/** More objects for `expose`. */
const exposedObjects: readonly object[] = [
  {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: { name: 'rc', namespace },
    spec: {
      replicas: 0,
      selector: { a: 'b' },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          containers: [
            { name: 'c', image: 'x', ports: [{ containerPort: 80 }, { containerPort: 81, protocol: 'UDP' }] },
          ],
        },
      },
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'rs', namespace },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'rs' }, matchExpressions: [{ key: 'app', operator: 'In', values: ['rs'] }] },
      template: template('rs'),
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'ss', namespace },
    spec: { serviceName: 'ss', replicas: 0, selector: { matchLabels: { app: 'ss' } }, template: template('ss') },
  },
  { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'nolabels', namespace }, spec: { containers: [one] } },
  pod('multi', undefined, [
    {
      name: 'c1',
      image: 'x',
      ports: [
        { containerPort: 80 },
        { name: 'dns', containerPort: 53, protocol: 'UDP' },
        { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
      ],
    },
    { name: 'c2', image: 'x', ports: [{ containerPort: 81, protocol: 'SCTP' }] },
  ]),
];

/** Events, long enough ago that both clients describe their age with the same words. */
const happenings: readonly object[] = [
  ...[1, 2, 3].map((n) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `e${n}`, namespace },
    type: n === 2 ? 'Warning' : 'Normal',
    reason: `R${n}`,
    message: `message ${n}\nin two lines`,
    involvedObject: { kind: 'Pod', name: n === 2 ? 'pair' : 'single', namespace, apiVersion: 'v1' },
    source: { component: 'kubelet' },
    firstTimestamp: `2020-01-0${n}T00:00:00Z`,
    lastTimestamp: `2020-02-0${n}T00:00:00Z`,
    count: n,
  })),
  {
    apiVersion: naming.apiVersion('events', 'v1'),
    kind: 'Event',
    metadata: { name: 'n1', namespace },
    type: 'Warning',
    reason: 'New',
    action: 'Doing',
    note: 'a note',
    regarding: { kind: 'Deployment', name: 'single', namespace, apiVersion: 'apps/v1' },
    reportingController: 'example.com/c',
    reportingInstance: 'c-1',
    eventTime: '2020-01-02T01:02:03.123456Z',
    series: { count: 5, lastObservedTime: '2020-01-02T05:02:03.123456Z' },
  },
];

/**
 * The objects for logs, exec, attach, port-forward and cp. They are pods of two nodes, and objects that select them.
 */
export const streamObjects: readonly object[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } },
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'alive' } },
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'plain' } },
  pod('single', 'alive', [one]),
  pod('pair', 'alive', [one, two], { initContainers: [{ name: 'first', image: 'x' }] }),
  pod('chosen', 'alive', [one, two], {
    metadata: { annotations: { [CHOICE]: 'two' } },
  }),
  pod('wrong', 'alive', [one, two], {
    metadata: { annotations: { [CHOICE]: 'nope' } },
  }),
  pod('plain', 'plain', [one, two]),
  pod('done', 'alive', [one]),
  pod('waiting', undefined, [one]),
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'single', namespace },
    spec: { replicas: 1, selector: { matchLabels: { app: 'single' } }, template: template('single') },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'none', namespace },
    spec: { replicas: 1, selector: { matchLabels: { app: 'none' } }, template: template('none') },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'single', namespace },
    spec: {
      selector: { app: 'single' },
      ports: [
        { name: 'http', port: 80, targetPort: 'web' },
        { name: 'other', port: 81, targetPort: 9090 },
      ],
    },
  },
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'bare', namespace }, spec: { ports: [{ port: 80 }] } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace } },
  ...exposedObjects,
  ...happenings,
];

const running = (names: readonly string[]) => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True' }],
  containerStatuses: names.map((name) => ({
    ...{ name, image: 'x', imageID: '', ready: true, restartCount: 0, started: true },
    state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
  })),
});

/** The agents of both nodes. */
interface Agents {
  readonly node: { readonly port: number };
  readonly plainNode: { readonly port: number };
}

/** The statuses that the agents of the nodes would write, each with its `TYPE NAME`. */
export function streamStatuses({ node, plainNode }: Agents): readonly (readonly [string, object])[] {
  const nodeStatus = (port: number) => ({
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  });
  return [
    ['node alive', nodeStatus(node.port)],
    ['node plain', nodeStatus(plainNode.port)],
    ['pod single', running(['one'])],
    ...['pair', 'chosen', 'wrong', 'plain'].map((name) => [`pod ${name}`, running(['one', 'two'])] as const),
    ['pod done', { ...running(['one']), phase: 'Succeeded' }],
  ];
}
