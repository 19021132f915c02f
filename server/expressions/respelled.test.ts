import assert from 'node:assert/strict';
import { respelled } from './respelled.ts';

describe('respelled: CEL syntax that the parser does not support', () => {
  const rows: [rule: string, text: string][] = [
    ['.5 < 1.0 && -.5 < x', '0.5 < 1.0 && -0.5 < x'],
    ['self.n > 1.5', 'self.n > 1.5'],
    ['.self.n == .self .n', ' self.n ==  self .n'],
    ['[.a, f(.b)].c', '[ a, f( b)].c'],
    ["br'\\d' == b'\\\\d'", "b'\\\\d' == b'\\\\d'"],
    ['BR"""a"\\""" == bR\'x\'', 'b"""a"\\\\""" == b\'x\''],
    ["r'\\' + '.5 [,]' // .5", "r'\\' + '.5 [,]' // .5"],
    ["'\\ud800\\uDfff' + '\\\\ud800'", "'\\ufffd\\ufffd' + '\\\\ud800'"],
    ['[,] == [ , ] && {,} == {}', '[ ] == [   ] && { } == {}'],
    ['[1,] == [,1]', '[1,] == [,1]'],
    ["'''a'b''' + \"c\"", "'''a'b''' + \"c\""],
    [".5 + 'not closed .5", "0.5 + 'not closed .5"],
  ];
  for (const [rule, text] of rows) it(rule, () => assert.equal(respelled(rule).text, text));

  it('maps positions to the original text', () => {
    const { text, origin } = respelled(".5 + br'\\' + c");
    assert.equal(text, "0.5 + b'\\\\' + c");
    assert.deepEqual([0, text.indexOf('+'), text.indexOf("b'"), text.indexOf('c')].map(origin), [0, 3, 5, 13]);
  });

  const refusals: [rule: string, problem: RegExp][] = [
    ['1 == 0X1F', /1:7: Syntax error: mismatched input 'X1F' expecting <EOF>/],
    ['self..a', /1:6: Syntax error: extraneous input '\.' expecting IDENTIFIER/],
    ['self. . a', /1:7: Syntax error: extraneous input '\.' expecting IDENTIFIER/],
    ['size("a" , )', /1:10: Syntax error: extraneous input ',' expecting '\)'/],
  ];
  for (const [rule, problem] of refusals) it(`refuses ${rule}`, () => assert.throws(() => respelled(rule), problem));

  it('processes long rules of repeated parts in bounded time', () => {
    for (const part of [
      "'",
      '"""',
      "br'",
      '.',
      '[',
      '0X',
      '\\ud800',
      '\\',
      `"${'\\'.repeat(50_000)}`,
      '(,',
      "'\\",
      ' ',
    ]) {
      assert.doesNotThrow(() => {
        try {
          respelled(part.repeat(Math.floor(100_000 / part.length)));
        } catch (error) {
          assert.match((error as Error).message, /Syntax error/);
        }
      });
    }
  });
});
