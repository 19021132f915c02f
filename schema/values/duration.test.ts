import assert from 'node:assert/strict';
import { canonicalDuration, formatDuration, parseDuration } from './duration.ts';

describe('duration', () => {
  const texts: [input: string, milliseconds: number, text: string][] = [
    ['60s', 60_000, '1m0s'],
    ['1m30s', 90_000, '1m30s'],
    ['1.5h', 5_400_000, '1h30m0s'],
    ['1h15m30.918s', 4_530_918, '1h15m30.918s'],
    ['-250ms', -250, '-250ms'],
    ['+5s', 5_000, '5s'],
    ['.5s', 500, '500ms'],
    ['1500us', 1.5, '1.5ms'],
    ['1500ns', 0.0015, '1.5\u00b5s'],
    ['7ns', 0.000007, '7ns'],
    ['0', 0, '0s'],
    ['0000000000000000000000001s', 1000, '1s'],
    ['1.00000000000000000000000000000000000000s', 1000, '1s'],
  ];
  for (const [input, milliseconds, text] of texts) {
    it(`${input} is ${text}`, () => {
      assert.equal(parseDuration(input), milliseconds);
      assert.equal(canonicalDuration(input), text);
      assert.equal(formatDuration(milliseconds), text);
    });
  }

  const refused: [text: string, why: string][] = [
    ['', 'time: invalid duration ""'],
    ['x', 'time: invalid duration "x"'],
    ['5', 'time: missing unit in duration "5"'],
    ['5d', 'time: unknown unit "d" in duration "5d"'],
    ['1s ', 'time: unknown unit "s " in duration "1s "'],
    ['99999999999999999999s', 'time: invalid duration "99999999999999999999s"'],
    ['9999999h', 'time: invalid duration "9999999h"'],
    ['0s'.repeat(501), `time: invalid duration "${'0s'.repeat(501)}"`],
  ];
  for (const [text, why] of refused) {
    it(`refuses ${JSON.stringify(text.slice(0, 50))}`, () =>
      assert.throws(() => parseDuration(text), { message: why }));
  }
});
