import assert from 'node:assert/strict';
import { PodsWatch } from './pods-watch.ts';

/** A change of a pod. It has its name, its state (`+` ready, `.` starting, `x` ending, `-` deleted), and its node. */
type Seen = readonly [name: string, state: '+' | '.' | 'x' | '-', node?: string];

describe('PodsWatch checks rollouts', () => {
  const cases: readonly (readonly [what: string, seen: readonly Seen[], laws: readonly string[]])[] = [
    [
      'an update of one pod after the other',
      [
        ['a', '+'],
        ['b', '+'],
        ['c', '.'],
        ['c', '+'],
        ['a', 'x'],
        ['a', '-'],
      ],
      [],
    ],
    [
      'an incomplete start',
      [
        ['a', '+'],
        ['a', 'x'],
      ],
      [],
    ],
    [
      'too few available pods',
      [
        ['a', '+'],
        ['b', '+'],
        ['a', 'x'],
      ],
      ['available'],
    ],
    [
      'too many pods',
      [
        ['a', '+'],
        ['b', '+'],
        ['c', '.'],
        ['d', '.'],
      ],
      ['available'],
    ],
    [
      'a pod that changes its node',
      [
        ['a', '.', 'n'],
        ['a', '.', 'm'],
      ],
      ['bound'],
    ],
  ];
  for (const [what, seen, laws] of cases)
    it(what, () => {
      const watch = new PodsWatch();
      watch.promise('web', { replicas: 2, least: 2, most: 3 });
      for (const [name, state, nodeName] of seen)
        watch.see(state === '-' ? 'DELETED' : 'MODIFIED', {
          metadata: {
            ...{ uid: name, name, labels: { app: 'web' }, resourceVersion: '1' },
            ...(state === 'x' && { deletionTimestamp: 'now' }),
          },
          spec: nodeName === undefined ? {} : { nodeName },
          status: { conditions: [{ type: 'Ready', status: state === '.' ? 'False' : 'True' }] },
        });
      assert.deepEqual(
        watch.violations.map(({ law }) => law),
        laws,
      );
    });

  it('counts each succeeded pod of a job once', () => {
    const watch = new PodsWatch();
    const metadata = { uid: 'u', name: 'p', labels: { 'job-name': 'j' }, resourceVersion: '1' };
    for (const type of ['MODIFIED', 'MODIFIED', 'DELETED'])
      watch.see(type, { metadata, spec: { nodeName: 'n' }, status: { phase: 'Succeeded' } });
    assert.equal(watch.ended('j'), 1);
  });
});
