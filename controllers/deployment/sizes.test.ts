import assert from 'node:assert/strict';
import { isScaled, type Rollout, rollingStep, type SetState, scaledSizes, sumOf } from './sizes.ts';

/** A set as `size/available`, with the largest size of the deployment when the set was scaled. */
type Written = readonly [size: number, available?: number, outOf?: number, desired?: number];

function set(name: string, [size, available = size, outOf = 0, desired]: Written, created: number): SetState {
  return { name, size, pods: size, ready: available, available, isBehind: false, created, outOf, desired };
}

function rollout(
  wanted: number,
  surge: number,
  unavailable: number,
  fresh: Written | undefined,
  ...old: Written[]
): Rollout {
  return {
    wanted,
    surge,
    unavailable,
    fresh: fresh && set('new', fresh, 99),
    old: old.map((written, i) => set(`old${i}`, written, i)),
  };
}

describe('rollingStep', () => {
  const rows: [what: string, at: Rollout, next: Record<string, number>][] = [
    ['the new set grows by maxSurge', rollout(10, 3, 2, [0], [10]), { new: 3 }],
    ['the new set never grows beyond the replicas of the deployment', rollout(10, 30, 2, [0], [10]), { new: 10 }],
    ['the new set shrinks to the replicas of the deployment', rollout(5, 1, 1, [8], [0]), { new: 5 }],
    ['old sets shrink as far as maxUnavailable allows', rollout(10, 3, 2, [3, 0], [10]), { old0: 8 }],
    ['old sets shrink as new pods become available', rollout(10, 3, 2, [5, 3], [8]), { old0: 5 }],
    ['nothing changes while too few pods are available', rollout(10, 0, 2, [2, 0], [8]), {}],
    ['old pods that are not available are removed first', rollout(10, 3, 2, [3, 0], [10, 6]), { old0: 8 }],
    ['the oldest of several old sets shrinks first', rollout(10, 3, 2, [3, 3], [5], [5]), { old0: 0 }],
    [
      'old pods that never became available are removed first, even from a younger set',
      rollout(10, 3, 2, [3, 0], [8, 8], [2, 0]),
      { old1: 0 },
    ],
    [
      'pods that an old set has yet to delete do not count as available',
      rollout(10, 3, 2, [5, 3], [8, 10]),
      { old0: 5 },
    ],
    [
      'pods that an old set has yet to delete count towards the surge limit',
      { ...rollout(3, 1, 0, [2, 2]), old: [{ ...set('old0', [1, 1], 0), pods: 2 }] },
      {},
    ],
    [
      'nothing changes while a set has not observed its last size',
      { ...rollout(10, 3, 2, [5, 5], [8]), old: [{ ...set('old0', [8], 0), isBehind: true }] },
      {},
    ],
    ['nothing changes when the rollout is complete', rollout(3, 1, 1, [3], [0]), {}],
    ['without surge an old set shrinks first', rollout(3, 0, 1, [0], [3]), { old0: 2 }],
    ['nothing changes before the new set exists', rollout(3, 1, 1, undefined, [3]), {}],
  ];
  for (const [what, at, next] of rows)
    it(what, () => {
      assert.deepEqual(Object.fromEntries(rollingStep(at)), next);
    });

  it('never exceeds the surge or falls below the available minimum, and completes', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    for (let round = 0; round < 300; round++) {
      const wanted = 1 + random(12);
      const surge = random(4);
      const unavailable = surge === 0 ? 1 + random(wanted) : random(wanted + 1);
      let at = rollout(wanted, surge, Math.min(unavailable, wanted), [0], [wanted]);
      let steps = 0;
      for (; steps < 400; steps++) {
        const sizes = rollingStep(at);
        const before = sumOf([at.fresh!, ...at.old], 'available');
        const next = (state: SetState): SetState => {
          const size = sizes.get(state.name) ?? state.size;
          const gone = Math.max(0, state.pods - size);
          // A set first deletes the pods that are not available.
          const available = Math.min(state.available, state.pods - gone);
          return { ...state, size, pods: size, available };
        };
        at = { ...at, fresh: next(at.fresh!), old: at.old.map(next) };
        const all = [at.fresh!, ...at.old];
        assert.ok(sumOf(all, 'size') <= wanted + surge, `${round}: too many`);
        const least = Math.min(before, wanted - at.unavailable);
        assert.ok(sumOf(all, 'available') >= least, `${round}: too few are available`);
        const coming = (state: SetState): SetState => ({
          ...state,
          available: Math.min(state.size, state.available + random(3)),
        });
        at = { ...at, fresh: coming(at.fresh!), old: at.old.map(coming) };
        if (at.fresh!.available === wanted && sumOf(at.old, 'size') === 0) break;
      }
      assert.ok(steps < 400, `${round}: it does not end`);
    }
  });
});

describe('scaledSizes', () => {
  const rows: [what: string, at: Rollout, next: Record<string, number>][] = [
    ['the only set gets the new size', rollout(5, 1, 1, [3, 3, 4, 3]), { new: 5 }],
    ['an old set gets the new size if it is the only one', rollout(5, 1, 1, undefined, [3, 3, 4, 3]), { old0: 5 }],
    ['the newest of several sets without pods gets the new size', rollout(5, 1, 1, undefined, [0], [0]), { old1: 5 }],
    ['nothing changes if the size is right', rollout(5, 1, 1, [5, 5, 6, 5]), {}],
    ['a wrong desired-replicas annotation is corrected', rollout(5, 1, 1, [5, 5, 6, 4]), { new: 5 }],
    ['old sets shrink to zero when the new set is complete', rollout(5, 1, 1, [5, 5, 6, 5], [2, 2, 6, 5]), { old0: 0 }],
    ['in a rollout each set keeps its share', rollout(20, 6, 5, [5, 5, 13, 10], [8, 8, 13, 10]), { new: 10, old0: 16 }],
    [
      'in a rollout each set keeps its share when it shrinks',
      rollout(5, 0, 1, [4, 4, 10, 10], [6, 6, 10, 10]),
      { new: 2, old0: 3 },
    ],
    ['the remainder goes to the largest set', rollout(6, 0, 1, [2, 2, 5, 5], [3, 3, 5, 5]), { new: 2, old0: 4 }],
    [
      'all sets shrink to zero with zero replicas',
      rollout(0, 2, 0, [5, 5, 13, 10], [8, 8, 13, 10]),
      { new: 0, old0: 0 },
    ],
    ['a set without the annotation is scaled by its current size', rollout(20, 0, 5, [5], [5]), { new: 10, old0: 10 }],
  ];
  for (const [what, at, next] of rows)
    it(what, () => {
      assert.deepEqual(Object.fromEntries(scaledSizes(at, true)), next);
    });

  it('keeps the sizes of a Recreate deployment in the middle of a rollout', () => {
    assert.equal(scaledSizes(rollout(9, 0, 0, [2, 2, 5, 5], [3, 3, 5, 5]), false).size, 0);
  });

  it('isScaled compares the annotations of sets with the replicas of the deployment', () => {
    assert.equal(isScaled(rollout(5, 1, 1, [5, 5, 6, 5], [0, 0, 4, 3])), false);
    assert.equal(isScaled(rollout(5, 1, 1, [5, 5, 6, 5], [1, 1, 4, 3])), true);
    assert.equal(isScaled(rollout(5, 1, 1, [5])), false);
  });
});
