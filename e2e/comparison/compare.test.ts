import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { alike, inAnyOrder, isReordered, type Outcome } from './compare.ts';

const outcome = (stdout: string, stderr = '', code = 0): Outcome => ({ stdout, stderr, code });

describe('outcomes whose order is left to chance', () => {
  const cases: readonly [what: string, theirs: Outcome, ours: Outcome, same: boolean][] = [
    ['the same lines in another order', outcome('b\na\nc\n'), outcome('c\nb\na\n'), true],
    ['complaints in another order', outcome('', 'x\ny\n', 1), outcome('', 'y\nx\n', 1), true],
    ['a line less', outcome('a\nb\n'), outcome('b\n'), false],
    ['a line twice', outcome('a\nb\n'), outcome('b\na\na\n'), false],
    ['no end of the last line', outcome('a\nb\n'), outcome('b\na'), false],
    ['a line on the other stream', outcome('a\nb\n'), outcome('a\n', 'b\n'), false],
    ['another status', outcome('a\nb\n'), outcome('b\na\n', '', 1), false],
  ];
  for (const [what, theirs, ours, same] of cases)
    it(`${what}: ${same ? 'alike' : 'not alike'}`, () => {
      assert.equal(isDeepStrictEqual(inAnyOrder(ours), inAnyOrder(theirs)), same);
    });
});

describe('outcomes that differ in their order alone', () => {
  const cases: readonly [what: string, one: Outcome, other: Outcome, reordered: boolean][] = [
    ['the same', outcome('a\nb\n'), outcome('a\nb\n'), false],
    ['lines in another order', outcome('a\nb\n'), outcome('b\na\n'), true],
    ['words of a line in another order', outcome('', 'one of a, b: c\n', 1), outcome('', 'one of b, a: c\n', 1), true],
    ['a word more', outcome('a b'), outcome('a b b'), false],
    ['another word', outcome('a b'), outcome('a c'), false],
    ['a word on the other stream', outcome('a\n', 'b\n'), outcome('b\n', 'a\n'), false],
    ['another status', outcome('a b'), outcome('b a', '', 1), false],
  ];
  for (const [what, one, other, reordered] of cases)
    it(`${what}: ${reordered ? 'reordered' : 'not reordered'}`, () => assert.equal(isReordered(one, other), reordered));
});

describe('what may differ from call to call', () => {
  const texts: readonly [what: string, text: string, shown: string][] = [
    ['the name of the program', 'see orchctl --help', 'see PROGRAM --help'],
    ['a version in YAML', '  resourceVersion: "12"', '  VERSION'],
    ['a version in JSON', '{"resourceVersion":"12"}', '{VERSION}'],
    ['a version in the words of an error', 'map[metadata:map[resourceVersion:475]]', 'map[metadata:map[VERSION]]'],
    ['a time', 'at 2026-01-02T03:04:05.678Z', 'at TIME'],
    ['how long something has been going', 'Terminating (lasts 1m3s)', 'Terminating (lasts AGE)'],
    ['what a library logs', 'I0314 12:00:00.0 1 x.go:1] slow\nrest', 'rest'],
    ['an age in a column', 'a   12m\nb   3s', 'a   AGE\nb   AGE'],
  ];
  for (const [what, text, shown] of texts)
    it(`${what}: ${JSON.stringify(text)}`, () =>
      assert.deepEqual(alike({ stdout: text, stderr: text, code: 3 }), { stdout: shown, stderr: shown, code: 3 }));
});
