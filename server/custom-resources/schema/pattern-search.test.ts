import assert from 'node:assert/strict';
import fc from 'fast-check';
import { atOnce } from '#base/time/steps.ts';
import { tries } from '#scripts/tries.ts';
import { compilePattern, matches } from '../../expressions/texts/patterns.ts';
import { CheckWork } from './check-work.ts';
import { PatternSearch } from './pattern-search.ts';
import { enoughWork } from './testing/schemas.ts';

const isIn = (pattern: string, text: string, most = 100_000) =>
  atOnce(new PatternSearch(compilePattern(pattern), { held: 0, most }).isIn(text, enoughWork()));

/** The states of an automaton during one search, in steps. */
function workOf(pattern: string, text: string, most = 100_000): number {
  const work = new CheckWork(1e12);
  atOnce(new PatternSearch(compilePattern(pattern), { held: 0, most }).isIn(text, work));
  return 1e12 - work.left;
}

/** Patterns with all features of the pattern language. */
function anyPattern(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    ...['a', 'b', 'é', '😀', '\\n', '.', '[ab]', '[^a]', '\\w', '\\W', '\\pL', '[[:alpha:]]'],
    ...['^', '$', '\\b', '\\B', '\\A', '\\z', '(?m:^)', '(?m:$)', '(?i:A)', '(?s:.)', '(?i:k)'],
  );
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: 'small' },
      piece,
      fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
      fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '*?', '{2}', '{0,3}', '{2,}'))
        .map(([a, times]) => `(${a})${times}`),
    ),
  }));
  return pattern;
}

const anyText = fc
  .array(fc.constantFrom('a', 'b', 'A', 'K', '\u212a', '_', ' ', '\n', 'é', '😀', '\ud83d'), { maxLength: 12 })
  .map((parts) => parts.join(''));

describe('PatternSearch', function () {
  this.timeout(20_000);
  it('finds the same matches as the library', () => {
    fc.assert(
      fc.property(anyPattern(), anyText, (pattern, text) => {
        assert.equal(isIn(pattern, text), matches(pattern, text), `${pattern} in ${JSON.stringify(text)}`);
      }),
      { interruptAfterTimeLimit: 3_000, numRuns: tries(20_000) },
    );
  });

  it('finds the same matches with almost no memory', () => {
    fc.assert(
      fc.property(anyPattern(), anyText, (pattern, text) => {
        assert.equal(isIn(pattern, text, 1), matches(pattern, text));
      }),
      { interruptAfterTimeLimit: 2_000, numRuns: tries(5_000) },
    );
  });

  const letters = (length: number) => Array.from({ length }, (_, i) => 'ab'[((i * i * 7919) % 11) % 2]).join('');
  const bounds: [pattern: string, text: string, parts: number][] = [
    ['^(a+)+$', `${'a'.repeat(100_000)}!`, 10],
    ['^[a-z0-9.]{1,1000}(\\.[a-z]{1,63})*$|^.*[a-z]{1,900}x$', `${'a'.repeat(60_000)}!`, 4_000],
    ['(a|b)*a(a|b){200}c', letters(5_000), 1_000],
  ];
  for (const [pattern, text, parts] of bounds) {
    it(`costs at most the size of the pattern for each character: ${pattern}`, () => {
      assert.ok(workOf(pattern, text) <= text.length * (parts * 6 + 21));
    });
  }

  it('costs one step for each character of repetitive text', () => {
    const pattern = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
    assert.ok(workOf(pattern, 'abc-de.'.repeat(50_000)) < 400_000);
  });

  it('costs the same each time, and stops when its budget is used', () => {
    const pattern = compilePattern('(a|b)*a(a|b){50}c');
    const first = workOf('(a|b)*a(a|b){50}c', letters(2_000));
    assert.equal(workOf('(a|b)*a(a|b){50}c', letters(2_000)), first);
    const search = new PatternSearch(pattern, { held: 0, most: 100_000 });
    assert.throws(() => atOnce(search.isIn(letters(2_000), new CheckWork(first / 2))));
  });

  it('uses at most its memory limit', () => {
    const memory = { held: 0, most: 10_000 };
    atOnce(new PatternSearch(compilePattern('(a|b)*a(a|b){100}c'), memory).isIn(letters(5_000), enoughWork()));
    assert.ok(memory.held > 0 && memory.held <= memory.most, `${memory.held}`);
  });
});
