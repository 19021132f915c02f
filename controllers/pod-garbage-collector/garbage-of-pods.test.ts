import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Node, Pod } from '#schema/generated/core.v1.ts';
import { garbageOf } from './garbage-of-pods.ts';

const naming = createNaming('orch');
const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`;

function podOf(name: string, phase: string, { node = '', deleted = false, minute = 0, reason = '' } = {}): Pod {
  const deletion = deleted ? { deletionTimestamp: at(9) } : {};
  const metadata = { name, namespace: 'n', creationTimestamp: at(minute), ...deletion };
  return { metadata, spec: { containers: [], nodeName: node }, status: { phase, reason } };
}

function nodeOf(name: string, ready: string, taint?: string): Node {
  const taints = taint === undefined ? [] : [{ key: taint, effect: 'NoExecute' }];
  return { metadata: { name }, spec: { taints }, status: { conditions: [{ type: 'Ready', status: ready }] } };
}

describe('garbage pods', () => {
  const taint = naming.key('node/out-of-service');
  const nodes = [nodeOf('good', 'True', taint), nodeOf('lost', 'Unknown'), nodeOf('out', 'Unknown', taint)];
  const known = {
    get: (name: string) => nodes.find(({ metadata }) => metadata.name === name),
    isGone: (name: string) => name === 'gone',
  };
  const found = (pods: readonly Pod[], threshold = 0) =>
    garbageOf(pods, known, threshold, naming).map(({ pod, reason }) => `${pod.metadata.name} ${reason}`);

  it('are pods on deleted nodes', () => {
    const pods = ['good', 'lost', 'gone', 'unseen'].map((node) => podOf(node, 'Running', { node }));
    assert.deepEqual(found(pods), ['gone orphaned']);
  });

  it('are deleted pods without a node or on a node that is out of service', () => {
    const deleted = true;
    const pods = [
      podOf('waits', 'Pending'),
      podOf('unscheduled', 'Pending', { deleted }),
      podOf('on-good', 'Running', { node: 'good', deleted }),
      podOf('on-lost', 'Running', { node: 'lost', deleted }),
      podOf('on-out', 'Running', { node: 'out', deleted }),
      podOf('stays-on-out', 'Running', { node: 'out' }),
    ];
    assert.deepEqual(found(pods), ['unscheduled unscheduled', 'on-out out-of-service']);
  });

  it('are finished pods beyond the threshold: evicted pods first, then the oldest', () => {
    const pods = [
      podOf('young', 'Succeeded', { minute: 3 }),
      podOf('b', 'Succeeded', { minute: 1 }),
      podOf('a', 'Failed', { minute: 1 }),
      podOf('evicted', 'Failed', { minute: 5, reason: 'Evicted' }),
      podOf('runs', 'Running'),
    ];
    assert.deepEqual(found(pods, 2), ['evicted terminated', 'a terminated']);
    assert.deepEqual(found(pods, 4), []);
    assert.deepEqual(found(pods, 0), []);
  });
});
