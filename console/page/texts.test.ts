import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ageText } from './age.ts';
import { lineDiff } from './line-diff.ts';

describe('ageText and lineDiff', () => {
  const ages: readonly [seconds: number, text: string][] = [
    [-5, '0s'],
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [10_799, '179m'],
    [10_800, '3h'],
    [172_800, '2d'],
  ];
  for (const [seconds, text] of ages)
    it(`${seconds} seconds are ${text}`, () => assert.equal(ageText(0, seconds * 1000), text));

  const diffs: readonly [before: string, after: string, lines: readonly string[]][] = [
    ['a', 'a', [' a']],
    ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['a\nb', 'a\nb\nc', [' a', ' b', '+c']],
    ['a\nb\nc\nd', 'b\nd', ['-a', ' b', '-c', ' d']],
  ];
  for (const [before, after, lines] of diffs)
    it(`show the lines from ${JSON.stringify(before)} to ${JSON.stringify(after)}`, () =>
      assert.deepEqual(
        lineDiff(before, after).map(({ sign, text }) => sign + text),
        lines,
      ));

  it('a diff contains all lines of both texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after);
        const side = (without: string) =>
          lines
            .filter(({ sign }) => sign !== without)
            .map(({ text }) => text)
            .join('\n');
        assert.equal(side('+'), before);
        assert.equal(side('-'), after);
      }),
    );
  });
});
