import assert from 'node:assert/strict';
import type { ReplicaSetStatus } from '#schema/generated/apps.v1.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { replicaStatus } from './replica-status.ts';

const NOW = Date.parse('2024-05-01T12:00:00Z');
const FAILED = {
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'FailedCreate',
  message: 'no',
  lastTransitionTime: '2024-05-01T12:00:00Z',
};

function pod(app: string, readyFor?: number): Pod {
  const lastTransitionTime = new Date(NOW - (readyFor ?? 0) * 1000).toISOString();
  const conditions = readyFor === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime }];
  return { metadata: { labels: { app } }, status: { conditions } } as unknown as Pod;
}

describe('the status of replica sets', () => {
  const next = (
    pods: readonly Pod[],
    before?: ReplicaSetStatus,
    failure?: { reason: 'FailedCreate'; message: string },
  ) =>
    replicaStatus({
      generation: 3,
      minReadySeconds: 10,
      templateLabels: { app: 'web' },
      before,
      pods,
      failure,
      now: NOW,
    });

  it('counts pods by their state', () => {
    assert.deepEqual(next([pod('web', 20), pod('web', 4), pod('web'), pod('old', 20)]), {
      status: { replicas: 4, fullyLabeledReplicas: 3, readyReplicas: 3, availableReplicas: 2, observedGeneration: 3 },
      nextInMs: 6000,
    });
  });

  it('omits counts of zero except replicas', () => {
    assert.deepEqual(
      next([], { replicas: 2, readyReplicas: 2, availableReplicas: 1, fullyLabeledReplicas: 2 }).status,
      {
        replicas: 0,
        observedGeneration: 3,
      },
    );
  });

  it('counts terminating pods if it is asked to', () => {
    const at = { generation: 1, minReadySeconds: 0, templateLabels: {}, pods: [], failure: undefined, now: NOW };
    const before = { replicas: 1, terminatingReplicas: 2 };
    assert.deepEqual(replicaStatus({ ...at, before, terminating: 1 }).status, {
      replicas: 0,
      observedGeneration: 1,
      terminatingReplicas: 1,
    });
    assert.deepEqual(replicaStatus({ ...at, before }).status, { replicas: 0, observedGeneration: 1 });
  });

  it('keeps the first failure until no pod fails', () => {
    const failed = next([], undefined, { reason: 'FailedCreate', message: 'no' }).status;
    assert.deepEqual(failed.conditions, [FAILED]);
    assert.deepEqual(next([], failed, { reason: 'FailedCreate', message: 'other' }).status.conditions, [FAILED]);
    assert.equal(next([], failed).status.conditions, undefined);
  });
});
