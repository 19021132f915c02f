import assert from 'node:assert/strict';
import { plot } from './plot.ts';

describe('plot', () => {
  const numbers = (svg: string, pattern: RegExp): number[][] =>
    [...svg.matchAll(pattern)].map((match) => match.slice(1).map(Number));
  const svg = plot({
    title: 'a < b & c',
    x: 'objects',
    y: 'ms',
    lines: [
      {
        name: 'flat',
        points: [
          [1000, 0.4],
          [10_000, 0.4],
          [100_000, 0.4],
        ],
      },
      {
        name: 'almost the same',
        points: [
          [1000, 0.4],
          [100_000, 0.41],
        ],
      },
      {
        name: 'grows with the objects',
        points: [
          [1000, 1],
          [10_000, 10],
          [100_000, 100],
        ],
      },
    ],
  });

  it('places equal ratios at equal distances on the logarithmic axes', () => {
    const dots = numbers(svg, /<circle cx="([\d.]+)" cy="([\d.]+)"/g);
    assert.equal(dots.length, 8);
    for (const [x, y] of dots) assert.ok(x! >= 70 && x! <= 540 && y! >= 40 && y! <= 390, `${x} ${y}`);
    const [[x1, y1], [x2, y2], [x3, y3]] = dots.slice(5) as [number, number][] as [
      [number, number],
      [number, number],
      [number, number],
    ];
    assert.ok(Math.abs(x2 - x1 - (x3 - x2)) < 0.2 && Math.abs(y1 - y2 - (y2 - y3)) < 0.2);
    assert.ok(y3 < y1, 'more is higher');
  });

  it('separates the names of lines and escapes text', () => {
    const heights = numbers(svg, /<text x="550.0" y="([\d.]+)"/g)
      .flat()
      .sort((a, b) => a - b);
    assert.equal(heights.length, 3);
    for (let i = 1; i < heights.length; i++) assert.ok(heights[i]! - heights[i - 1]! >= 17.9);
    assert.ok(svg.includes('a &lt; b &amp; c'));
  });
});
