import assert from 'node:assert/strict';
import type { PodSpec } from '#schema/generated/core.v1.ts';
import { label, makeNode, makePod, makeView, numbers } from '../testing/objects.ts';
import { balancedAllocation, leastAllocated } from './allocation.ts';
import { imageLocality } from './image-locality.ts';
import { preferredNodes } from './node-affinity.ts';
import { preferredPods } from './pod-affinity.ts';
import type { Score } from './score.ts';
import { preferredTaints } from './taint-toleration.ts';
import { preferredSpread } from './topology-spread.ts';

const table = (
  score: Score,
  cases: readonly (readonly [
    what: string,
    pod: ReturnType<typeof makePod>,
    view: ReturnType<typeof makeView>,
    expected: Record<string, number> | undefined,
  ])[],
) => {
  describe(score.name, () => {
    for (const [what, pod, view, expected] of cases)
      it(what, () => assert.deepEqual(numbers(score, pod, view), expected));
  });
};

const zone = label('topology/zone');
const inZones = [
  makeNode('a', { labels: { [zone]: 'z1' } }),
  makeNode('b', { labels: { [zone]: 'z1' } }),
  makeNode('c', { labels: { [zone]: 'z2' } }),
];
const web = { app: 'web' };

describe('scores', () => {
  const half = makeView(
    [makeNode('a', { allocatable: { memory: '4Gi' } }), makeNode('b', { allocatable: { memory: '4Gi' } })],
    [makePod('q', { node: 'a', requests: { cpu: '2', memory: '1Gi' } })],
  );
  table(leastAllocated, [
    // a: 3 of 4 processors and 2 of 4 GiB would be taken; b: 1 of 4 each.
    [
      'prefers nodes with more free resources',
      makePod('p', { requests: { cpu: '1', memory: '1Gi' } }),
      half,
      { a: 37, b: 75 },
    ],
  ]);
  table(balancedAllocation, [
    [
      'prefers nodes with balanced resources',
      makePod('p', { requests: { cpu: '1', memory: '1Gi' } }),
      half,
      { a: 87, b: 100 },
    ],
  ]);

  const prefers = (weight: number, key: string): PodSpec['affinity'] => ({
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight, preference: { matchExpressions: [{ key, operator: 'Exists' }] } },
        { weight: 10, preference: { matchExpressions: [{ key: 'both', operator: 'Exists' }] } },
      ],
    },
  });
  table(preferredNodes, [
    ['gives no score without a preference', makePod('p'), half, undefined],
    [
      'adds the weights of matching preferences',
      makePod('p', { spec: { affinity: prefers(30, 'ssd')! } }),
      makeView([
        makeNode('a', { labels: { ssd: '', both: '' } }),
        makeNode('b', { labels: { both: '' } }),
        makeNode('c'),
      ]),
      { a: 100, b: 25, c: 0 },
    ],
  ]);

  table(preferredTaints, [
    [
      'prefers nodes with fewer PreferNoSchedule taints',
      makePod('p'),
      makeView([
        makeNode('a', { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] }),
        makeNode('b', {
          taints: [
            { key: 'k', effect: 'PreferNoSchedule' },
            { key: 'l', effect: 'PreferNoSchedule' },
          ],
        }),
        makeNode('c'),
      ]),
      { a: 50, b: 0, c: 100 },
    ],
  ]);

  const wishes = (topologyKey: string, weight: number, anti = false): Partial<PodSpec> => {
    const term = { weight, podAffinityTerm: { labelSelector: { matchLabels: web }, topologyKey } };
    const part = { preferredDuringSchedulingIgnoredDuringExecution: [term] };
    return { affinity: anti ? { podAntiAffinity: part } : { podAffinity: part } };
  };
  const withWeb = makeView(inZones, [makePod('web', { node: 'a', labels: web })]);
  table(preferredPods, [
    ['gives no score without a preference', makePod('p'), withWeb, undefined],
    ['prefers nodes near a matching pod', makePod('p', { spec: wishes(zone, 5) }), withWeb, { a: 100, b: 100, c: 0 }],
    [
      'prefers nodes away from a matching pod',
      makePod('p', { spec: wishes(label('hostname'), 5, true) }),
      withWeb,
      { a: 0, b: 100, c: 100 },
    ],
    [
      'respects the preferences of existing pods',
      makePod('p', { labels: web }),
      makeView(inZones, [makePod('fan', { node: 'c', spec: wishes(zone, 5) })]),
      { a: 0, b: 0, c: 100 },
    ],
  ]);

  const constraint = (topologyKey: string): Partial<PodSpec> => ({
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey, whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: web } },
    ],
  });
  table(preferredSpread, [
    ['gives no score to a pod without constraints', makePod('p'), withWeb, undefined],
    [
      'prefers domains with fewer pods',
      makePod('p', { labels: web, spec: constraint(zone) }),
      withWeb,
      { a: 0, b: 0, c: 100 },
    ],
    [
      'spreads the pods of a service',
      makePod('p', { labels: web }),
      makeView(inZones, [makePod('web', { node: 'a', labels: web })], { selectors: [{ matchLabels: web }] }),
      // a: 1 pod on the node and 1 in the zone, with the weights 1.61 and 1.39, and 2 + 4 for the skew: 9; b: 7; c: 6.
      { a: 66, b: 88, c: 100 },
    ],
  ]);

  const image = (names: string[]) => ({ images: [{ names, sizeBytes: 1024 ** 3 }] });
  table(imageLocality, [
    ['gives no score if no node has the image', makePod('p'), withWeb, undefined],
    [
      'prefers nodes with the image, less if few nodes have it',
      makePod('p'),
      makeView([makeNode('a', image(['image:latest'])), makeNode('b')]),
      { a: 50, b: 0 },
    ],
  ]);
});
