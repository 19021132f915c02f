import assert from 'node:assert/strict';
import { quoteText } from './quote-text.ts';

describe('quoteText', () => {
  const cases: [text: string, quoted: string][] = [
    ['', '""'],
    ['spec.a', '"spec.a"'],
    ['qu"o\\te', '"qu\\"o\\\\te"'],
    ['\u0007\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['a\u0000b\u001f\u007f', '"a\\x00b\\x1f\\x7f"'],
    ['\u0080\u00a0\u200b\u2028', '"\\u0080\\u00a0\\u200b\\u2028"'],
    ['\u{e0001}', '"\\U000e0001"'],
    ['\u00e9 \u4e16 \u{1f600} <&>', '"\u00e9 \u4e16 \u{1f600} <&>"'],
  ];
  for (const [text, quoted] of cases) {
    it(`quotes ${JSON.stringify(text)}`, () => {
      assert.equal(quoteText(text), quoted);
    });
  }
});
