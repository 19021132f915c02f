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
  it('have names of their own', () => assert.equal(new Set(filters.map(({ name }) => name)).size, filters.length));

  const closed = makeView([makeNode('a'), makeNode('b', { unschedulable: true })]);
  const tolerates: Toleration[] = [{ key: label('node/unschedulable'), operator: 'Exists' }];
  table(nodeUnschedulable, [
    ['leaves closed nodes out', makePod('p'), closed, { a: '', b: 'final: node(s) were unschedulable' }],
    [
      'but not for pods that tolerate that',
      makePod('p', { spec: { tolerations: tolerates } }),
      closed,
      { a: '', b: '' },
    ],
  ]);

  table(nodeName, [
    [
      'leaves all others out',
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
    ['asks for tolerations', makePod('p'), tainted, { a: av, b: '', c }],
    ['of the value', tolerating({ key: 'k', operator: 'Equal', value: 'v' }), tainted, { a: '', b: '', c }],
    ['not of another value', tolerating({ key: 'k', value: 'w' }), tainted, { a: av, b: '', c }],
    ['of the key', tolerating({ key: 'k', operator: 'Exists' }), tainted, { a: '', b: '', c }],
    ['of everything', tolerating({ operator: 'Exists' }), tainted, { a: '', b: '', c: '' }],
    ['of one effect', tolerating({ operator: 'Exists', effect: 'NoExecute' }), tainted, { a: av, b: '', c: '' }],
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
    ['takes a selector', makePod('p', { spec: { nodeSelector: { size: '3' } } }), labelled, { a: '', b: wrong }],
    ['In', required('size', 'In', ['10', '11']), labelled, { a: wrong, b: '' }],
    ['NotIn', required('size', 'NotIn', ['10']), labelled, { a: '', b: wrong }],
    ['NotIn, without the label', required('none', 'NotIn', ['10']), labelled, { a: '', b: '' }],
    ['Exists', required('none', 'Exists', []), labelled, { a: wrong, b: wrong }],
    ['DoesNotExist', required('none', 'DoesNotExist', []), labelled, { a: '', b: '' }],
    ['Gt, by number', required('size', 'Gt', ['4']), labelled, { a: wrong, b: '' }],
    ['Lt, by number', required('size', 'Lt', ['4']), labelled, { a: '', b: wrong }],
    ['the name', required('metadata.name', 'In', ['a'], 'matchFields'), labelled, { a: '', b: wrong }],
    [
      'no terms, which select nothing',
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
    ['a port that is taken', makePod('p', { ports: port(80) }), serving, { a: taken, b: '' }],
    ['another port', makePod('p', { ports: port(81) }), serving, { a: '', b: '' }],
    ['another address', makePod('p', { ports: port(80, { hostIP: '10.0.0.2' }) }), serving, { a: '', b: '' }],
    ['another protocol', makePod('p', { ports: port(80, { protocol: 'UDP' }) }), serving, { a: '', b: '' }],
    ['no port of the node', makePod('p', { ports: [{ containerPort: 80 }] }), serving, { a: '', b: '' }],
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
    ['what is left', makePod('p', { requests: { cpu: '500m' } }), filled, { a: '', b: '', c: 'Too many pods' }],
    [
      'less than is asked for',
      makePod('p', { requests: { cpu: '2' } }),
      filled,
      { a: 'Insufficient cpu', b: 'final: Insufficient cpu', c: 'Too many pods' },
    ],
    [
      'what a node does not have',
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
    ['near another pod', makePod('p', { spec: near(web) }), withWeb, { a: '', b: '', c: noMatch }],
    [
      'near on the same node',
      makePod('p', { spec: near(web, label('hostname')) }),
      withWeb,
      { a: '', b: noMatch, c: noMatch },
    ],
    ['far from another pod', makePod('p', { spec: near(web, zone, true) }), withWeb, { a: noAnti, b: noAnti, c: '' }],
    [
      'the first of its kind',
      makePod('p', { labels: { app: 'x' }, spec: near({ app: 'x' }) }),
      withWeb,
      { a: '', b: '', c: '' },
    ],
    [
      'near what is not there',
      makePod('p', { spec: near({ app: 'x' }) }),
      withWeb,
      { a: noMatch, b: noMatch, c: noMatch },
    ],
    ['a pod that others keep away', makePod('p', { labels: web }), jealous, { a: noExisting, b: noExisting, c: '' }],
    ['not another namespace', makePod('p', { spec: near(web) }), elsewhere, { a: noMatch, b: noMatch, c: noMatch }],
    [
      'a namespace by name',
      makePod('p', { spec: near(web, zone, false, { namespaces: ['other'] }) }),
      elsewhere,
      { a: '', b: '', c: noMatch },
    ],
    [
      'namespaces by labels',
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
    ['even', spreading(), makeView(inZones, [one('a')]), { a: uneven, b: uneven, c: '' }],
    ['as much skew as there may be', spreading({ maxSkew: 2 }), makeView(inZones, [one('a')]), { a: '', b: '', c: '' }],
    ['pods that end', spreading(), makeView(inZones, [one('a', 'w', { deleted: true })]), { a: '', b: '', c: '' }],
    [
      'nodes without the label',
      spreading(),
      makeView([...inZones, makeNode('d')], []),
      { a: '', b: '', c: '', d: `final: ${uneven} (missing required label)` },
    ],
    [
      'too few domains',
      spreading({ minDomains: 3 }),
      makeView(inZones, [one('a'), one('c')]),
      { a: uneven, b: uneven, c: uneven },
    ],
    [
      'only nodes that the pod may be on',
      makePod('p', { labels: web, spec: { ...spread(), nodeSelector: { [zone]: 'z1' } } }),
      makeView(inZones, [one('a')]),
      { a: '', b: '', c: '' },
    ],
    [
      'where it would be nice only',
      spreading({ whenUnsatisfiable: 'ScheduleAnyway' }),
      makeView(inZones, [one('a')]),
      { a: '', b: '', c: '' },
    ],
  ]);
});
