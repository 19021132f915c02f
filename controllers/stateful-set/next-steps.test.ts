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

describe('the steps of a stateful set', () => {
  const rows: [what: string, replicas: number, pods: string, more: Partial<Ordered>, steps: string[]][] = [
    ['the first pod comes first', 3, '-', {}, ['create 0 update']],
    ['the next one when it is available', 3, 'R', {}, ['create 1 update']],
    ['not while it is pending', 3, 'P', {}, []],
    ['not while it is not ready', 3, 'N', {}, []],
    ['not before it was ready for long enough', 3, 'R3', { minReadySeconds: 10 }, []],
    ['all at once in parallel', 3, 'P', { parallel: true }, ['create 1 update', 'create 2 update']],
    ['a gap is filled first', 3, 'R - R', {}, ['create 1 update']],
    ['one that ended is replaced', 2, 'F R', {}, ['delete 0 ended']],
    ['also one that succeeded', 2, 'S R', {}, ['delete 0 ended']],
    ['but not one that is going', 2, 'T R', {}, []],
    ['numbers may begin elsewhere', 2, '-', { start: 5 }, ['create 5 update']],
    ['the last of those that are too many goes', 1, 'R R R', {}, ['delete 2 extra']],
    ['not while one is going', 1, 'R R T', {}, []],
    ['not while one before is not ready', 1, 'N R R', {}, []],
    ['the first that is not ready may go', 1, 'R N R', {}, ['delete 2 extra']],
    ['when it is its turn', 1, 'R N', {}, ['delete 1 extra']],
    ['one that is not ready waits for another one', 1, 'R N N', {}, []],
    [
      'all that are too many go at once in parallel',
      1,
      'R R N',
      { parallel: true },
      ['delete 2 extra', 'delete 1 extra'],
    ],
    ['those below the first number go', 2, 'R R R', { start: 1 }, ['delete 0 extra']],
    ['old ones are replaced from the last one on', 3, 'r r r', {}, ['delete 2 old']],
    ['one after the other', 3, 'r r R', {}, ['delete 1 old']],
    ['not while a new one is not available', 3, 'r r R3', { minReadySeconds: 10, parallel: true }, []],
    ['not while a new one is not ready', 3, 'r r N', { parallel: true }, []],
    ['an old one may go although it is not ready', 3, 'r r n', { parallel: true }, ['delete 2 old']],
    ['those below the partition stay', 3, 'r r R', { partition: 2 }, []],
    ['those below the partition come back as they were', 3, 'r - R', { partition: 2 }, ['create 1 current']],
    ['those above it are new', 3, 'r r -', { partition: 2 }, ['create 2 update']],
    ['all stay where the user deletes them', 3, 'r r r', { rolling: false }, []],
    ['and those come back new', 3, 'r - r', { rolling: false, partition: 3 }, ['create 1 update']],
    [
      'several at once where more may be unavailable',
      4,
      'r r r r',
      { unavailable: 2 },
      ['delete 3 old', 'delete 2 old'],
    ],
    ['fewer while others are', 4, 'r r r N', { unavailable: 2, parallel: true }, ['delete 2 old']],
    ['nothing is left to do', 2, 'R R', {}, []],
    ['none of none', 0, '-', {}, []],
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
