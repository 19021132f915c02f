import assert from 'node:assert/strict';
import type { Pod } from '#schema/generated/core.v1.ts';
import { nextSteps, type Ordered } from './next-steps.ts';

const NOW = Date.parse('2024-05-01T12:00:00Z');

/**
 * Pods in short: `r` ready, `n` running but not ready, `p` pending, `f` failed, `t` being deleted, `-` missing. Capital
 * letters are pods of the current template. `3` after a letter means ready for three seconds.
 */
function podsOf(text: string, start = 0): Map<number, Pod> {
  const pods = new Map<number, Pod>();
  for (const [i, word] of text.split(' ').entries()) {
    const [letter = '-', seconds = '1000'] = [word[0], word.slice(1) || undefined];
    const state = letter.toLowerCase();
    if (state === '-') continue;
    const lastTransitionTime = new Date(NOW - Number(seconds) * 1000).toISOString();
    const phase = { f: 'Failed', p: 'Pending', s: 'Succeeded' }[state] ?? 'Running';
    const ready = state === 'r' || state === 't';
    pods.set(i + start, {
      metadata: {
        name: `db-${i + start}`,
        labels: { new: String(letter !== state) },
        ...(state === 't' ? { deletionTimestamp: '2024-05-01T12:00:00Z' } : {}),
      },
      status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime }] },
    } as unknown as Pod);
  }
  return pods;
}

describe('next steps of a stateful set', () => {
  const rows: [what: string, replicas: number, pods: string, more: Partial<Ordered>, steps: string[]][] = [
    ['the first pod is created first', 3, '-', {}, ['create 0 update']],
    ['the next pod is created when the previous one is available', 3, 'R', {}, ['create 1 update']],
    ['the next pod waits for a pending pod', 3, 'P', {}, []],
    ['the next pod waits for a pod that is not ready', 3, 'N', {}, []],
    ['the next pod waits for minReadySeconds', 3, 'R3', { minReadySeconds: 10 }, []],
    ['all pods are created at once with Parallel', 3, 'P', { parallel: true }, ['create 1 update', 'create 2 update']],
    ['a gap is filled first', 3, 'R - R', {}, ['create 1 update']],
    ['a failed pod is deleted', 2, 'F R', {}, ['delete 0 ended']],
    ['a succeeded pod is deleted', 2, 'S R', {}, ['delete 0 ended']],
    ['a terminating pod is not deleted again', 2, 'T R', {}, []],
    ['ordinals start at the start ordinal', 2, '-', { start: 5 }, ['create 5 update']],
    ['the last pod beyond the replicas is deleted first', 1, 'R R R', {}, ['delete 2 extra']],
    ['no pod is deleted while another one terminates', 1, 'R R T', {}, []],
    ['no pod is deleted while a pod within the replicas is not ready', 1, 'N R R', {}, []],
    ['the last pod is deleted even if the pod before it is not ready', 1, 'R N R', {}, ['delete 2 extra']],
    ['a pod beyond the replicas is deleted even if it is not ready', 1, 'R N', {}, ['delete 1 extra']],
    ['no pod is deleted while two pods beyond the replicas are not ready', 1, 'R N N', {}, []],
    [
      'all pods beyond the replicas are deleted at once with Parallel',
      1,
      'R R N',
      { parallel: true },
      ['delete 2 extra', 'delete 1 extra'],
    ],
    ['pods below the start ordinal are deleted', 2, 'R R R', { start: 1 }, ['delete 0 extra']],
    ['old pods are replaced from the last one on', 3, 'r r r', {}, ['delete 2 old']],
    ['the next old pod is replaced when the last one is new', 3, 'r r R', {}, ['delete 1 old']],
    ['no old pod is replaced before minReadySeconds', 3, 'r r R3', { minReadySeconds: 10, parallel: true }, []],
    ['no old pod is replaced while a new pod is not ready', 3, 'r r N', { parallel: true }, []],
    ['an old pod is replaced even if it is not ready', 3, 'r r n', { parallel: true }, ['delete 2 old']],
    ['old pods below the partition stay', 3, 'r r R', { partition: 2 }, []],
    [
      'a pod below the partition is created from the current revision',
      3,
      'r - R',
      { partition: 2 },
      ['create 1 current'],
    ],
    [
      'a pod at or above the partition is created from the update revision',
      3,
      'r r -',
      { partition: 2 },
      ['create 2 update'],
    ],
    ['no old pod is replaced with OnDelete', 3, 'r r r', { rolling: false }, []],
    [
      'with OnDelete a deleted pod is created from the update revision',
      3,
      'r - r',
      { rolling: false, partition: 3 },
      ['create 1 update'],
    ],
    [
      'several old pods are replaced with a higher maxUnavailable',
      4,
      'r r r r',
      { unavailable: 2 },
      ['delete 3 old', 'delete 2 old'],
    ],
    [
      'pods that are not available count towards maxUnavailable',
      4,
      'r r r N',
      { unavailable: 2, parallel: true },
      ['delete 2 old'],
    ],
    ['nothing to do when all pods are new and ready', 2, 'R R', {}, []],
    ['nothing to do with zero replicas', 0, '-', {}, []],
  ];
  for (const [what, replicas, pods, more, steps] of rows)
    it(what, () => {
      const found = nextSteps({
        replicas,
        start: 0,
        pods: podsOf(pods),
        parallel: false,
        rolling: true,
        partition: 0,
        unavailable: 1,
        minReadySeconds: 0,
        isUpdated: ({ metadata }) => metadata.labels?.['new'] === 'true',
        now: NOW,
        ...more,
      });
      assert.deepEqual(
        found.map((step) => `${step.kind} ${step.ordinal} ${step.kind === 'create' ? step.template : step.why}`),
        steps,
      );
    });
});
