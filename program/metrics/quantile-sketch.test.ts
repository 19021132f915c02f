import assert from 'node:assert/strict';
import { QuantileSketch } from './quantile-sketch.ts';

const HOUR = 60 * 60 * 1000;

describe('QuantileSketch', () => {
  let now: number;
  let sketch: QuantileSketch;

  beforeEach(() => {
    now = 0;
    sketch = new QuantileSketch(() => now);
  });

  it('is accurate to 4 %', () => {
    for (let i = 1; i <= 1000; i++) sketch.observe(i / 1000);
    for (const share of [0.5, 0.9, 0.99]) assert.ok(Math.abs(sketch.quantile(share) / share - 1) < 0.04, `${share}`);
    assert.deepEqual([Math.round(sketch.sum * 10), sketch.count], [5005, 1000]);
  });

  it('drops values that are older than five hours from the quantiles, but keeps the sum and the count', () => {
    sketch.observe(1);
    now = 3 * HOUR;
    assert.ok(sketch.quantile(0.5) > 0.9);
    sketch.observe(0.001);
    now = 6 * HOUR;
    assert.ok(sketch.quantile(0.99) < 0.002);
    now = 20 * HOUR;
    assert.deepEqual([Number.isNaN(sketch.quantile(0.5)), sketch.count], [true, 2]);
  });

  it('accepts durations of any size', () => {
    for (const seconds of [0, 1e-9, 1e9]) sketch.observe(seconds);
    assert.equal(sketch.count, 3);
  });
});
