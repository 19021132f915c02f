import assert from 'node:assert/strict';
import type { Deployment, DeploymentStatus } from '#schema/generated/apps.v1.ts';
import { type Deployed, deploymentStatus, pauseOf } from './deployment-status.ts';
import type { SetState } from './sizes.ts';

const AT = Date.parse('2024-05-01T12:00:00Z');

function deployment(status: DeploymentStatus = {}, spec: object = {}): Deployment {
  return {
    metadata: { name: 'web', generation: 2 },
    spec: {
      replicas: 3,
      progressDeadlineSeconds: 60,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      ...spec,
    },
    status,
  } as unknown as Deployment;
}

function set(name: string, size: number, available = size): SetState {
  return {
    name,
    size,
    pods: size,
    ready: available,
    available,
    isBehind: false,
    created: 0,
    outOf: 0,
    desired: undefined,
  };
}

const progressing = (reason: string, secondsAgo: number, status = 'True') => {
  const time = new Date(AT - secondsAgo * 1000).toISOString().replace('.000', '');
  return { type: 'Progressing', status, reason, message: '', lastUpdateTime: time, lastTransitionTime: time };
};

describe('the status of a deployment', () => {
  const next = (more: Partial<Deployed> & { deployment: Deployment }) =>
    deploymentStatus({
      fresh: undefined,
      old: [],
      collisions: 0,
      failure: undefined,
      countsOnly: false,
      now: AT,
      ...more,
    });
  const conditions = (more: Parameters<typeof next>[0]) =>
    Object.fromEntries(
      (next(more).status.conditions ?? []).map(({ type, status, reason, message }) => [
        type,
        [status, reason, message].join(' '),
      ]),
    );

  it('counts the pods of all replica sets and the pods of the current one', () => {
    const { status } = next({
      deployment: deployment(),
      fresh: set('new', 2, 1),
      old: [set('a', 2), set('b', 0)],
      collisions: 1,
    });
    const { conditions: _, ...counted } = status;
    assert.deepEqual(counted, {
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 2,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 1,
      collisionCount: 1,
    });
  });

  it('counts terminating pods if all replica sets count them', () => {
    const of = (...old: (number | undefined)[]) =>
      next({ deployment: deployment(), old: old.map((terminating, i) => ({ ...set(String(i), 1), terminating })) })
        .status.terminatingReplicas;
    assert.equal(of(1, 2), 3);
    assert.equal(of(1, undefined), undefined);
    assert.equal(of(), undefined);
  });

  const rows: [what: string, at: Parameters<typeof next>[0], said: Record<string, string>][] = [
    [
      'is available while enough pods are available',
      { deployment: deployment({}, { progressDeadlineSeconds: 2 ** 31 - 1 }), fresh: set('new', 3, 2) },
      { Available: 'True MinimumReplicasAvailable Deployment has minimum availability.' },
    ],
    [
      'is not available when fewer pods are available',
      {
        deployment: deployment({ updatedReplicas: 3 }, { progressDeadlineSeconds: 2 ** 31 - 1 }),
        fresh: set('new', 3, 1),
      },
      { Available: 'False MinimumReplicasUnavailable Deployment does not have minimum availability.' },
    ],
    [
      'progresses while new pods become ready',
      { deployment: deployment({ updatedReplicas: 1, replicas: 1 }), fresh: set('new', 2, 2) },
      {
        Available: 'True MinimumReplicasAvailable Deployment has minimum availability.',
        Progressing: 'True ReplicaSetUpdated ReplicaSet "new" is progressing.',
      },
    ],
    [
      'is complete when all pods are new and available',
      { deployment: deployment(), fresh: set('new', 3) },
      {
        Available: 'True MinimumReplicasAvailable Deployment has minimum availability.',
        Progressing: 'True NewReplicaSetAvailable ReplicaSet "new" has successfully progressed.',
      },
    ],
    [
      'exceeds the deadline after a long time without progress',
      {
        deployment: deployment({
          updatedReplicas: 3,
          replicas: 3,
          readyReplicas: 2,
          availableReplicas: 2,
          conditions: [progressing('ReplicaSetUpdated', 61)],
        }),
        fresh: set('new', 3, 2),
      },
      {
        Available: 'True MinimumReplicasAvailable Deployment has minimum availability.',
        Progressing: 'False ProgressDeadlineExceeded ReplicaSet "new" has timed out progressing.',
      },
    ],
    [
      'reports why its replica sets cannot create pods',
      {
        deployment: deployment({}, { progressDeadlineSeconds: 2 ** 31 - 1 }),
        failure: { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'quota' },
      },
      {
        Available: 'False MinimumReplicasUnavailable Deployment does not have minimum availability.',
        ReplicaFailure: 'True FailedCreate quota',
      },
    ],
  ];
  for (const [what, at, said] of rows)
    it(what, () => {
      assert.deepEqual(conditions(at), said);
    });

  it('schedules the next check at the progress deadline, counted from the last progress', () => {
    const status = { updatedReplicas: 3, replicas: 3, readyReplicas: 2, availableReplicas: 2 };
    const at = deployment({ ...status, conditions: [progressing('ReplicaSetUpdated', 20)] });
    assert.equal(next({ deployment: at, fresh: set('new', 3, 2) }).nextInMs, 40_000);
    assert.equal(next({ deployment: deployment(), fresh: set('new', 3) }).nextInMs, undefined);
  });

  it('stays complete while pods fail and recover', () => {
    const done = progressing('NewReplicaSetAvailable', 1000);
    const status = { updatedReplicas: 3, replicas: 3, readyReplicas: 3, availableReplicas: 3, conditions: [done] };
    const { conditions: after = [] } = next({ deployment: deployment(status), fresh: set('new', 3, 1) }).status;
    assert.deepEqual(
      after.find(({ type }) => type === 'Progressing'),
      done,
    );
  });

  it('records that it is paused or resumed', () => {
    const paused = deployment({ conditions: [progressing('ReplicaSetUpdated', 9)] }, { paused: true });
    assert.equal(pauseOf(paused)?.reason, 'DeploymentPaused');
    const resumed = deployment({ conditions: [progressing('DeploymentPaused', 9, 'Unknown')] });
    assert.equal(pauseOf(resumed)?.reason, 'DeploymentResumed');
    assert.equal(
      pauseOf(deployment({ conditions: [progressing('DeploymentPaused', 9)] }, { paused: true })),
      undefined,
    );
    assert.equal(pauseOf(deployment()), undefined);
  });
});
