import assert from 'node:assert/strict';
import { asciiOnly } from './ascii-output.ts';

describe('asciiOnly', () => {
  for (const [script, expected] of [
    ['const a = /us|µs/;', 'const a = /us|\\u00b5s/;'],
    ["'→' + '\u{1f600}'", "'\\u2192' + '\\ud83d\\ude00'"],
    ['const a = 1;\n\tb();', 'const a = 1;\n\tb();'],
  ] as const)
    it(`writes ${JSON.stringify(script)}`, () => assert.equal(asciiOnly(script), expected));

  it('keeps the meaning of the script', () => {
    const script = "/^[µ→]$/.test('µ') && '\u{1f600}'.codePointAt(0)";
    assert.equal(new Function(`return ${asciiOnly(script)}`)(), 0x1f600);
  });
});
