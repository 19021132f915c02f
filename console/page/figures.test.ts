import assert from 'node:assert/strict';
import { bytesText, secondsText, shortText, timeLeft } from './figures.ts';
import { pathsOf } from './line-path.ts';

describe('figures of the control plane page', () => {
  const texts: readonly [text: string, expected: string][] = [
    [bytesText(0), '0 B'],
    [bytesText(1_572_864), '1.5 MiB'],
    [bytesText(5 * 1024 ** 3), '5 GiB'],
    [secondsText(0), '0'],
    [secondsText(0.000_012), '12 µs'],
    [secondsText(0.0123), '12 ms'],
    [secondsText(1.53), '1.5 s'],
    [secondsText(600), '10 min'],
    [shortText(1_234_567), '1,234,567'],
    [shortText(0.0312), '0.031'],
  ];
  for (const [text, expected] of texts) it(expected, () => assert.equal(text, expected));

  const HOUR = 3_600_000;
  const ends: readonly [inMs: number, text: string, state: string][] = [
    [400 * 24 * HOUR, 'in 400 days', 'good'],
    [29 * 24 * HOUR, 'in 29 days', 'soon'],
    [HOUR, 'in 1 hour', 'soon'],
    [0, 'ended 0 minutes ago', 'over'],
    [-3 * 24 * HOUR, 'ended 3 days ago', 'over'],
  ];
  for (const [inMs, text, state] of ends)
    it(`shows the time left of a certificate: ${text}`, () =>
      assert.deepEqual(timeLeft(1e12 + inMs, 1e12), { text, state }));

  const lines: readonly [what: string, values: readonly (number | null)[], pieces: readonly string[]][] = [
    ['one line', [0, 5, 10], ['0.0,118.0 300.0,60.0 600.0,2.0']],
    ['a line with a gap', [10, null, 10], ['0,2 0,2', '596,2 600,2']],
    ['nothing without values', [null, null, null], []],
  ];
  for (const [what, values, pieces] of lines)
    it(`plots ${what}`, () => assert.deepEqual(pathsOf([0, 10, 20], values, 10), pieces));
});
