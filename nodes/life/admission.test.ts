import assert from 'node:assert/strict';
import type { Pod, PodSpec } from '#schema/generated/core.v1.ts';
import { Admission } from './admission.ts';

const offer = { name: 'node-0', labels: { disk: 'fast' }, allocatable: { cpu: '2', memory: '1Gi', pods: '3' } };
const pod = (uid: string, spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name: uid, uid },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const asking = (requests: Record<string, string>): Partial<PodSpec> => ({
  containers: [{ name: 'c', image: 'i', resources: { requests } }],
});
const onPort = (hostPort: number, more: object = {}): Partial<PodSpec> => ({
  containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort, ...more }] }],
});

describe('admission of pods on a node', () => {
  const short = (name: string, requested: number, used: number, capacity: number) =>
    `OutOf${name}: Pod was rejected: Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, ` +
    `capacity: ${capacity}`;
  const cases: readonly (readonly [
    what: string,
    before: readonly Partial<PodSpec>[],
    next: Partial<PodSpec>,
    rejection: string,
  ])[] = [
    ['a pod that fits', [], asking({ cpu: '2' }), ''],
    ['a pod that fits beside other pods', [asking({ cpu: '1500m' })], asking({ cpu: '500m', memory: '1Gi' }), ''],
    ['a pod that requests too much', [], asking({ cpu: '2001m' }), short('cpu', 2001, 0, 2000)],
    [
      'a pod that requests too much beside other pods',
      [asking({ memory: '1Gi' })],
      asking({ memory: '1' }),
      short('memory', 1, 2 ** 30, 2 ** 30),
    ],
    ['a pod beyond the maximum number of pods', [{}, {}, {}], {}, short('pods', 1, 3, 3)],
    ['a pod that requests an unknown resource', [], asking({ 'example.com/gpu': '5' }), ''],
    [
      'a pod whose host port is used',
      [onPort(80)],
      onPort(80),
      'NodePorts: Pod was rejected: Predicate NodePorts failed',
    ],
    [
      'a pod whose host port is used on another address',
      [onPort(80, { hostIP: '10.0.0.1' })],
      onPort(80, { hostIP: '10.0.0.2' }),
      '',
    ],
    ['a pod whose host port is used for another protocol', [onPort(80)], onPort(80, { protocol: 'UDP' }), ''],
    ['a pod whose node selector matches', [], { nodeSelector: { disk: 'fast' } }, ''],
    [
      'a pod whose node selector does not match',
      [],
      { nodeSelector: { disk: 'slow' } },
      'NodeAffinity: Pod was rejected: Predicate NodeAffinity failed',
    ],
  ];
  for (const [what, before, next, rejection] of cases)
    it(what, () => {
      const admission = new Admission();
      for (const [i, spec] of before.entries()) assert.equal(admission.admit(pod(`p${i}`, spec), offer), undefined);
      const answer = admission.admit(pod('next', next), offer);
      assert.equal(answer === undefined ? '' : `${answer.reason}: ${answer.message}`, rejection);
    });

  it('releases the resources of a removed pod', () => {
    const admission = new Admission();
    admission.take(pod('known', { ...onPort(80) }));
    assert.equal(admission.admit(pod('a', onPort(80)), offer)?.reason, 'NodePorts');
    admission.release('known');
    assert.equal(admission.admit(pod('a', onPort(80)), offer), undefined);
  });
});
