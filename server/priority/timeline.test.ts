import assert from 'node:assert/strict';
import { HistogramSeries } from '#program/metrics/family.ts';
import { Timeline } from './timeline.ts';

describe('Timeline', () => {
  it('counts each value as a part of its limit, for its duration', () => {
    const series = new HistogramSeries([0, 0.5, 1]);
    let limit = 4;
    const timeline = new Timeline(series, () => limit, 0);
    timeline.add(2, 1);
    timeline.add(2, 3);
    timeline.add(-4, 3);
    timeline.add(0, 5);
    timeline.catchUp(7);
    timeline.add(1, 8);
    limit = 0;
    timeline.catchUp(9);
    timeline.catchUp(9);
    const [idle, half, full, beyond, sum] = [...series.numbers].map((number) => number / 1e6);
    assert.deepEqual([idle, half, full, beyond, sum], [6, 2, 1, 0, 2]);
  });
});
