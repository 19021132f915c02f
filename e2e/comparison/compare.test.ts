import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { alike, inAnyOrder, isReordered, type Outcome } from './compare.ts';

const outcome = (stdout: string, stderr = '', code = 0): Outcome => ({ stdout, stderr, code });

describe('inAnyOrder', () => {
  const cases: readonly [what: string, theirs: Outcome, ours: Outcome, same: boolean][] = [
    ['the same lines in another order', outcome('b\na\nc\n'), outcome('c\nb\na\n'), true],
    ['errors in another order', outcome('', 'x\ny\n', 1), outcome('', 'y\nx\n', 1), true],
    ['a missing line', outcome('a\nb\n'), outcome('b\n'), false],
    ['a repeated line', outcome('a\nb\n'), outcome('b\na\na\n'), false],
    ['a missing line break at the end', outcome('a\nb\n'), outcome('b\na'), false],
    ['a line in the other stream', outcome('a\nb\n'), outcome('a\n', 'b\n'), false],
    ['another exit code', outcome('a\nb\n'), outcome('b\na\n', '', 1), false],
  ];
  for (const [what, theirs, ours, same] of cases)
    it(`${what}: ${same ? 'equal' : 'different'}`, () => {
      assert.equal(isDeepStrictEqual(inAnyOrder(ours), inAnyOrder(theirs)), same);
    });
});

describe('isReordered', () => {
  const cases: readonly [what: string, one: Outcome, other: Outcome, reordered: boolean][] = [
    ['the same lines', outcome('a\nb\n'), outcome('a\nb\n'), false],
    ['lines in another order', outcome('a\nb\n'), outcome('b\na\n'), true],
    ['words of a line in another order', outcome('', 'one of a, b: c\n', 1), outcome('', 'one of b, a: c\n', 1), true],
    ['an additional word', outcome('a b'), outcome('a b b'), false],
    ['another word', outcome('a b'), outcome('a c'), false],
    ['a word in the other stream', outcome('a\n', 'b\n'), outcome('b\n', 'a\n'), false],
    ['another exit code', outcome('a b'), outcome('b a', '', 1), false],
  ];
  for (const [what, one, other, reordered] of cases)
    it(`${what}: ${reordered ? 'reordered' : 'not reordered'}`, () => assert.equal(isReordered(one, other), reordered));
});

describe('alike removes what differs between calls', () => {
  const texts: readonly [what: string, text: string, shown: string][] = [
    ['the name of the program', 'see orchctl --help', 'see PROGRAM --help'],
    ['a version in YAML', '  resourceVersion: "12"', '  VERSION'],
    ['a version in JSON', '{"resourceVersion":"12"}', '{VERSION}'],
    ['a version in the text of an error', 'map[metadata:map[resourceVersion:475]]', 'map[metadata:map[VERSION]]'],
    ['a time', 'at 2026-01-02T03:04:05.678Z', 'at TIME'],
    ['a duration', 'Terminating (lasts 1m3s)', 'Terminating (lasts AGE)'],
    ['a log line of a library', 'I0314 12:00:00.0 1 x.go:1] slow\nrest', 'rest'],
    ['an age in a column', 'a   12m\nb   3s', 'a   AGE\nb   AGE'],
  ];
  for (const [what, text, shown] of texts)
    it(`${what}: ${JSON.stringify(text)}`, () =>
      assert.deepEqual(alike({ stdout: text, stderr: text, code: 3 }), { stdout: shown, stderr: shown, code: 3 }));
});
