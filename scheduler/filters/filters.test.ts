import assert from 'node:assert/strict';
import type { PodSpec, Toleration } from '#schema/generated/core.v1.ts';
import { answers, label, makeNode, makePod, makeView } from '../testing/objects.ts';
import type { Filter } from './filter.ts';
import { filters } from './index.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeName } from './node-name.ts';
import { nodePorts } from './node-ports.ts';
import { nodeUnschedulable } from './node-unschedulable.ts';
import { podAffinity } from './pod-affinity.ts';
import { resourcesFit } from './resources-fit.ts';
import { taintToleration } from './taint-toleration.ts';
import { topologySpread } from './topology-spread.ts';

const table = (
  filter: Filter,
  cases: readonly (readonly [
    what: string,
    pod: ReturnType<typeof makePod>,
    view: ReturnType<typeof makeView>,
    expected: Record<string, string> | string,
  ])[],
) => {
  describe(filter.name, () => {
    for (const [what, pod, view, expected] of cases)
      it(what, () => assert.deepEqual(answers(filter, pod, view), expected));
  });
};

const zone = label('topology/zone');
const inZones = [
  makeNode('a', { labels: { [zone]: 'z1' } }),
  makeNode('b', { labels: { [zone]: 'z1' } }),
  makeNode('c', { labels: { [zone]: 'z2' } }),
];

describe('filters', () => {
  it('have unique names', () => assert.equal(new Set(filters.map(({ name }) => name)).size, filters.length));

  const closed = makeView([makeNode('a'), makeNode('b', { unschedulable: true })]);
  const tolerates: Toleration[] = [{ key: label('node/unschedulable'), operator: 'Exists' }];
  table(nodeUnschedulable, [
    ['rejects unschedulable nodes', makePod('p'), closed, { a: '', b: 'final: node(s) were unschedulable' }],
    [
      'accepts unschedulable nodes for pods that tolerate them',
      makePod('p', { spec: { tolerations: tolerates } }),
      closed,
      { a: '', b: '' },
    ],
  ]);

  table(nodeName, [
    [
      'rejects all other nodes',
      makePod('p', { spec: { nodeName: 'b' } }),
      closed,
      { a: "final: node(s) didn't match the requested node name", b: '' },
    ],
  ]);

  const tainted = makeView([
    makeNode('a', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] }),
    makeNode('b', { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] }),
    makeNode('c', { taints: [{ key: 'other', effect: 'NoExecute' }] }),
  ]);
  const [av, c] = ['final: node(s) had untolerated taint {k: v}', 'final: node(s) had untolerated taint {other: }'];
  const tolerating = (...tolerations: Toleration[]) => makePod('p', { spec: { tolerations } });
  table(taintToleration, [
    ['rejects nodes with taints that are not tolerated', makePod('p'), tainted, { a: av, b: '', c }],
    [
      'a toleration of the same value',
      tolerating({ key: 'k', operator: 'Equal', value: 'v' }),
      tainted,
      { a: '', b: '', c },
    ],
    ['a toleration of another value', tolerating({ key: 'k', value: 'w' }), tainted, { a: av, b: '', c }],
    ['a toleration of the key', tolerating({ key: 'k', operator: 'Exists' }), tainted, { a: '', b: '', c }],
    ['a toleration of every taint', tolerating({ operator: 'Exists' }), tainted, { a: '', b: '', c: '' }],
    [
      'a toleration of one effect',
      tolerating({ operator: 'Exists', effect: 'NoExecute' }),
      tainted,
      { a: av, b: '', c: '' },
    ],
  ]);

  const labelled = makeView([makeNode('a', { labels: { size: '3' } }), makeNode('b', { labels: { size: '10' } })]);
  const wrong = "final: node(s) didn't match Pod's node affinity/selector";
  const requires = (key: string, operator: string, values: string[], field = 'matchExpressions'): Partial<PodSpec> => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ [field]: [{ key, operator, values }] }],
        },
      },
    },
  });
  const required = (...wanted: Parameters<typeof requires>) => makePod('p', { spec: requires(...wanted) });
  table(nodeAffinity, [
    ['a node selector', makePod('p', { spec: { nodeSelector: { size: '3' } } }), labelled, { a: '', b: wrong }],
    ['In', required('size', 'In', ['10', '11']), labelled, { a: wrong, b: '' }],
    ['NotIn', required('size', 'NotIn', ['10']), labelled, { a: '', b: wrong }],
    ['NotIn, on nodes without the label', required('none', 'NotIn', ['10']), labelled, { a: '', b: '' }],
    ['Exists', required('none', 'Exists', []), labelled, { a: wrong, b: wrong }],
    ['DoesNotExist', required('none', 'DoesNotExist', []), labelled, { a: '', b: '' }],
    ['Gt compares numbers', required('size', 'Gt', ['4']), labelled, { a: wrong, b: '' }],
    ['Lt compares numbers', required('size', 'Lt', ['4']), labelled, { a: '', b: wrong }],
    ['the node name', required('metadata.name', 'In', ['a'], 'matchFields'), labelled, { a: '', b: wrong }],
    [
      'an empty list of terms matches no node',
      makePod('p', {
        spec: {
          affinity: {
            nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
          },
        },
      }),
      labelled,
      { a: wrong, b: wrong },
    ],
  ]);

  const port = (hostPort: number, more: object = {}) => [{ containerPort: 80, hostPort, ...more }];
  const serving = makeView(
    [makeNode('a'), makeNode('b')],
    [makePod('q', { node: 'a', ports: port(80, { hostIP: '10.0.0.1' }) })],
  );
  const taken = "node(s) didn't have free ports for the requested pod ports";
  table(nodePorts, [
    ['a used host port', makePod('p', { ports: port(80) }), serving, { a: taken, b: '' }],
    ['another port', makePod('p', { ports: port(81) }), serving, { a: '', b: '' }],
    ['another address', makePod('p', { ports: port(80, { hostIP: '10.0.0.2' }) }), serving, { a: '', b: '' }],
    ['another protocol', makePod('p', { ports: port(80, { protocol: 'UDP' }) }), serving, { a: '', b: '' }],
    ['a pod without a host port', makePod('p', { ports: [{ containerPort: 80 }] }), serving, { a: '', b: '' }],
  ]);

  const filled = makeView(
    [
      makeNode('a'),
      makeNode('b', { allocatable: { cpu: '1', 'example.com/gpu': '2' } }),
      makeNode('c', { allocatable: { pods: '1' } }),
    ],
    [makePod('q', { node: 'a', requests: { cpu: '3500m' } }), makePod('r', { node: 'c' })],
  );
  table(resourcesFit, [
    ['a request that fits', makePod('p', { requests: { cpu: '500m' } }), filled, { a: '', b: '', c: 'Too many pods' }],
    [
      'a request that is too large',
      makePod('p', { requests: { cpu: '2' } }),
      filled,
      { a: 'Insufficient cpu', b: 'final: Insufficient cpu', c: 'Too many pods' },
    ],
    [
      'a resource that a node does not have',
      makePod('p', { requests: { 'example.com/gpu': '2' } }),
      filled,
      {
        a: 'final: Insufficient example.com/gpu',
        b: '',
        c: 'final: Too many pods, Insufficient example.com/gpu',
      },
    ],
  ]);

  const near = (labels: Record<string, string>, topologyKey = zone, anti = false, more: object = {}) => {
    const required = [{ labelSelector: { matchLabels: labels }, topologyKey, ...more }];
    const part = { requiredDuringSchedulingIgnoredDuringExecution: required };
    return { affinity: anti ? { podAntiAffinity: part } : { podAffinity: part } };
  };
  const noMatch = "final: node(s) didn't match pod affinity rules";
  const noAnti = "node(s) didn't match pod anti-affinity rules";
  const noExisting = "node(s) didn't satisfy existing pods anti-affinity rules";
  const withWeb = makeView(inZones, [makePod('web', { node: 'a', labels: { app: 'web' } })]);
  const elsewhere = makeView(inZones, [makePod('web', { node: 'a', namespace: 'other', labels: { app: 'web' } })], {
    namespaces: { default: {}, other: { team: 'x' } },
  });
  const jealous = makeView(inZones, [
    makePod('db', { node: 'a', labels: { app: 'db' }, spec: near({ app: 'web' }, zone, true) }),
  ]);
  const web = { app: 'web' };
  table(podAffinity, [
    [
      'affinity to another pod in the same zone',
      makePod('p', { spec: near(web) }),
      withWeb,
      { a: '', b: '', c: noMatch },
    ],
    [
      'affinity to another pod on the same node',
      makePod('p', { spec: near(web, label('hostname')) }),
      withWeb,
      { a: '', b: noMatch, c: noMatch },
    ],
    [
      'anti-affinity to another pod',
      makePod('p', { spec: near(web, zone, true) }),
      withWeb,
      { a: noAnti, b: noAnti, c: '' },
    ],
    [
      'the first pod with an affinity to itself',
      makePod('p', { labels: { app: 'x' }, spec: near({ app: 'x' }) }),
      withWeb,
      { a: '', b: '', c: '' },
    ],
    [
      'affinity to a pod that does not exist',
      makePod('p', { spec: near({ app: 'x' }) }),
      withWeb,
      { a: noMatch, b: noMatch, c: noMatch },
    ],
    [
      'anti-affinity of an existing pod',
      makePod('p', { labels: web }),
      jealous,
      { a: noExisting, b: noExisting, c: '' },
    ],
    [
      'affinity ignores pods in other namespaces',
      makePod('p', { spec: near(web) }),
      elsewhere,
      { a: noMatch, b: noMatch, c: noMatch },
    ],
    [
      'affinity to a namespace by name',
      makePod('p', { spec: near(web, zone, false, { namespaces: ['other'] }) }),
      elsewhere,
      { a: '', b: '', c: noMatch },
    ],
    [
      'affinity to namespaces by labels',
      makePod('p', { spec: near(web, zone, false, { namespaceSelector: { matchLabels: { team: 'x' } } }) }),
      elsewhere,
      { a: '', b: '', c: noMatch },
    ],
  ]);

  const spread = (more: object = {}): Partial<PodSpec> => ({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: zone,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: web },
        ...more,
      },
    ],
  });
  const one = (node: string, name = `web-${node}`, more = {}) => makePod(name, { node, labels: web, ...more });
  const uneven = "node(s) didn't match pod topology spread constraints";
  const spreading = (more: object = {}) => makePod('p', { labels: web, spec: spread(more) });
  table(topologySpread, [
    ['a zone with too many pods', spreading(), makeView(inZones, [one('a')]), { a: uneven, b: uneven, c: '' }],
    ['a skew within maxSkew', spreading({ maxSkew: 2 }), makeView(inZones, [one('a')]), { a: '', b: '', c: '' }],
    [
      'pods that are being deleted do not count',
      spreading(),
      makeView(inZones, [one('a', 'w', { deleted: true })]),
      { a: '', b: '', c: '' },
    ],
    [
      'nodes without the topology label',
      spreading(),
      makeView([...inZones, makeNode('d')], []),
      { a: '', b: '', c: '', d: `final: ${uneven} (missing required label)` },
    ],
    [
      'fewer domains than minDomains',
      spreading({ minDomains: 3 }),
      makeView(inZones, [one('a'), one('c')]),
      { a: uneven, b: uneven, c: uneven },
    ],
    [
      'only nodes that match the node selector count',
      makePod('p', { labels: web, spec: { ...spread(), nodeSelector: { [zone]: 'z1' } } }),
      makeView(inZones, [one('a')]),
      { a: '', b: '', c: '' },
    ],
    [
      'ScheduleAnyway rejects no node',
      spreading({ whenUnsatisfiable: 'ScheduleAnyway' }),
      makeView(inZones, [one('a')]),
      { a: '', b: '', c: '' },
    ],
  ]);
});
