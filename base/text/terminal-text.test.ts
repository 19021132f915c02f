import assert from 'node:assert/strict';
import fc from 'fast-check';
import { harmlessText } from './terminal-text.ts';

describe('harmlessText', () => {
  /** the text from a server or another user, and the text for the terminal */
  const texts: readonly (readonly [sent: string, shown: string])[] = [
    ['plain\ttext\nof lines\n', 'plain\ttext\nof lines\n'],
    ['größer 漢字 😀 \u200f', 'größer 漢字 😀 \u200f'],
    ['\u001b[2J', '^[[2J'],
    ['\u001b]0;title\u0007', '^[]0;title^G'],
    ['\u009b31m', '\\u009b31m'],
    ['\u0085', '\\u0085'],
    ['a\u007fb', 'a^?b'],
    ['a\0b\bc', 'a^@b^Hc'],
    ['over\rwritten', 'over\\rwritten'],
    ['of\r\nWindows\r\n', 'of\nWindows\n'],
    ['if (\u202e\u2066// safe\u2069 \u2066) {', 'if (\\u202e\\u2066// safe\\u2069 \\u2066) {'],
  ];
  for (const [sent, shown] of texts) it(JSON.stringify(sent), () => assert.equal(harmlessText(sent), shown));

  it('removes every character that controls a terminal', () => {
    const steering = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join('');
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...steering, '\u202e', '\u2067', 'é') }), (text) => {
        assert.doesNotMatch(harmlessText(text), /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
