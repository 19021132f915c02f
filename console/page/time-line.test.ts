import assert from 'node:assert/strict';
import { happeningsOf, placed } from './time-line.ts';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();
const event = (reason: string, first: number, last: number, type = 'Normal') => ({
  type,
  reason,
  message: 'm',
  count: first === last ? 1 : 3,
  first: at(first),
  last: at(last),
});

describe('the time line of events and conditions', () => {
  it('sorts entries by time and leaves out entries without a time', () => {
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'Done', message: '', since: at(20) },
      { type: 'Old', status: 'True', reason: '', message: '', since: '' },
    ];
    const found = happeningsOf([event('Late', 30, 60, 'Warning'), event('First', 10, 10)], conditions, 100_000);
    assert.deepEqual(
      found.map(({ what, isBad, from, to }) => [what, isBad, from, to]),
      [
        ['First: m', false, 10_000, 10_000],
        ['Ready is True (Done)', false, 20_000, 100_000],
        ['Late: m (3 times)', true, 30_000, 60_000],
      ],
    );
  });

  it('shows overlapping entries in separate rows, and other entries in the same row', () => {
    const found = happeningsOf([event('A', 0, 50), event('B', 10, 20), event('C', 60, 60)], [], 100_000);
    assert.deepEqual(
      placed(found, 100_000).map(({ start, end, row }) => [start, Number(end.toFixed(3)), row]),
      [
        [0, 0.5, 0],
        [0.1, 0.2, 1],
        [0.6, 0.612, 0],
      ],
    );
  });

  it('keeps entries within the line if clocks differ', () => {
    const [one] = placed(happeningsOf([event('Ahead', 500, 500)], [], 100_000), 100_000);
    assert.ok(one!.start >= 0 && one!.end <= 1);
  });
});
