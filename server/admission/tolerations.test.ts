import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Toleration } from '#schema/generated/core.v1.ts';
import { mergeTolerations, TolerationSet } from './tolerations.ts';

function covers(wide: Toleration, narrow: Toleration): boolean {
  const set = new TolerationSet();
  set.add(wide);
  return set.covers(narrow);
}

const anything: Toleration = { operator: 'Exists' };

const coverage: readonly [string, Toleration, Toleration, boolean][] = [
  ['the same key', { key: 'a' }, { key: 'a' }, true],
  ['any key', anything, { key: 'a', operator: 'Equal', value: 'x', effect: 'NoSchedule' }, true],
  ['another key', { key: 'a', operator: 'Exists' }, { key: 'b', operator: 'Exists' }, false],
  ['any value', { key: 'a', operator: 'Exists' }, { key: 'a', operator: 'Equal', value: 'x' }, true],
  ['one value instead of any', { key: 'a', operator: 'Equal', value: 'x' }, { key: 'a', operator: 'Exists' }, false],
  ['no value and an empty one', { key: 'a', operator: 'Equal' }, { key: 'a', operator: 'Equal', value: '' }, true],
  ['any effect', { key: 'a', operator: 'Exists' }, { key: 'a', operator: 'Exists', effect: 'NoExecute' }, true],
  [
    'one effect instead of any',
    { key: 'a', operator: 'Exists', effect: 'NoExecute' },
    { key: 'a', operator: 'Exists' },
    false,
  ],
  [
    'a longer time',
    { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 },
    true,
  ],
  [
    'a time limit instead of none',
    { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    { key: 'a', operator: 'Exists', effect: 'NoExecute' },
    false,
  ],
];

const arbitrary: fc.Arbitrary<Toleration> = fc.record(
  {
    key: fc.constantFrom('', 'a', 'b'),
    operator: fc.constantFrom('Exists', 'Equal'),
    value: fc.constantFrom('', 'x'),
    effect: fc.constantFrom('', 'NoSchedule', 'NoExecute'),
    tolerationSeconds: fc.constantFrom(0, 3),
  },
  { requiredKeys: ['operator'] },
);

describe('TolerationSet and mergeTolerations', () => {
  for (const [what, wide, narrow, expected] of coverage) {
    it(`${expected ? 'covers' : 'does not cover'} with ${what}`, () => assert.equal(covers(wide, narrow), expected));
  }

  it('finds what one of many tolerations covers', () => {
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 6 }), arbitrary, (wide, narrow) => {
        const set = new TolerationSet();
        for (const one of wide) set.add(one);
        assert.equal(
          set.covers(narrow),
          wide.some((one) => covers(one, narrow)),
        );
        const others = wide.filter((one) => !covers(one, narrow) || !covers(narrow, one));
        if (others.some((one) => covers(one, narrow))) assert.ok(set.coversByOther(narrow));
      }),
      { numRuns: 1000 },
    );
  });

  it('merges lists so that no toleration is lost and none is redundant', () => {
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 4 }), fc.array(arbitrary, { maxLength: 4 }), (first, second) => {
        const merged = mergeTolerations(first, second);
        for (const toleration of [...first, ...second]) {
          assert.ok(merged.some((kept) => covers(kept, toleration)));
        }
        for (const [i, kept] of merged.entries()) {
          assert.ok(!merged.slice(0, i).some((other) => covers(other, kept)), JSON.stringify(merged));
        }
      }),
      { numRuns: 1000 },
    );
  });
});
