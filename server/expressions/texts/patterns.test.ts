import assert from 'node:assert/strict';
import { patternSize } from './pattern-size.ts';
import { matches, patternProblem } from './patterns.ts';

/** The approximate number of parts of patterns. */
const SIZES: [pattern: string, parts: number][] = [
  ['', 1],
  ['abc', 4],
  ['a{1000}', 1001],
  ['(((a{10}){10}){10})', 1223],
  ['[a{5}]', 2],
  ['\\{3\\}', 4],
  ['a{2,}', 4],
  ['(a|b)*c', 8],
];

describe('patterns', () => {
  for (const [pattern, parts] of SIZES) {
    it(`${pattern} has ${parts} parts`, () => assert.equal(patternSize(pattern), parts));
  }

  it('are refused if they repeat too much', () => {
    assert.equal(patternProblem('a{1000}'.repeat(100)), 'error parsing regexp: expression too large');
    assert.equal(patternProblem('a{1000}'), undefined);
  });

  it('are refused with the messages that clients expect', () => {
    assert.equal(patternProblem('('), 'error parsing regexp: missing closing ): `(`');
    assert.equal(patternProblem('\\'), 'error parsing regexp: trailing backslash at end of expression: ``');
  });

  it('can have two groups with the same name', () => {
    assert.equal(patternProblem('(?P<x>a)[(?P<x>]\\(?P<x>b'), undefined);
    assert.ok(matches('^(?P<x>a)(?P<x>b)$', 'ab'));
    assert.notEqual(patternProblem('(?P<x-y>a)'), undefined);
  });

  it('match anywhere in a string', () => assert.ok(matches('b+', 'abbc')));
});
