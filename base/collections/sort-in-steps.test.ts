import assert from 'node:assert/strict';
import fc from 'fast-check';
import { atOnce } from '../time/steps.ts';
import { sortInSteps } from './sort-in-steps.ts';

describe('sortInSteps', () => {
  it('gives the same result as one stable sort', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_000 }), fc.integer({ min: 1, max: 5_000 }), (length, ranks) => {
        const items = Array.from({ length }, (_, place) => ({ rank: (place * 7_919) % ranks, place }));
        const byRank = (a: { rank: number }, b: { rank: number }) => a.rank - b.rank;
        assert.deepEqual(atOnce(sortInSteps([...items], byRank)), items.toSorted(byRank));
      }),
      { numRuns: 20 },
    );
  });

  it('pauses in a long list, but not in a short one', () => {
    const pauses = (length: number) => [...sortInSteps(Array(length).fill(0), () => 0)].length;
    assert.equal(pauses(100), 0);
    assert.ok(pauses(100_000) > 100);
  });
});
