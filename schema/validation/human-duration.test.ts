import assert from 'node:assert/strict';
import { age, humanDuration } from './human-duration.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

describe('humanDuration', () => {
  const table: [number, string][] = [
    [-3 * S, '<invalid>'],
    [-1 * S, '0s'],
    [0, '0s'],
    [119 * S, '119s'],
    [2 * M, '2m'],
    [2 * M + 5 * S, '2m5s'],
    [10 * M + 5 * S, '10m'],
    [179 * M, '179m'],
    [3 * H, '3h'],
    [7 * H + 59 * M, '7h59m'],
    [47 * H, '47h'],
    [2 * D, '2d'],
    [7 * D + 3 * H, '7d3h'],
    [8 * D, '8d'],
    [729 * D, '729d'],
    [730 * D, '2y'],
    [731 * D, '2y1d'],
    [9 * 365 * D, '9y'],
  ];
  for (const [ms, text] of table) it(`${ms} ms is ${text}`, () => assert.equal(humanDuration(ms), text));

  it('the age of an object without a time is <unknown>', () => assert.equal(age(null, 0), '<unknown>'));
});
