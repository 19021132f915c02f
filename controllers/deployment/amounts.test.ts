import assert from 'node:assert/strict';
import type { Deployment } from '#schema/generated/apps.v1.ts';
import { leewayOf } from './amounts.ts';

describe('leewayOf', () => {
  const of = (replicas: number, maxSurge?: number | string, maxUnavailable?: number | string, type = 'RollingUpdate') =>
    leewayOf({
      metadata: {},
      spec: { replicas, strategy: { type, rollingUpdate: { maxSurge, maxUnavailable } } },
    } as unknown as Deployment);
  const rows: [what: string, leeway: ReturnType<typeof of>, surge: number, unavailable: number][] = [
    ['numbers', of(10, 2, 3), 2, 3],
    ['percentages of maxSurge are rounded up, of maxUnavailable down', of(10, '25%', '25%'), 3, 2],
    ['25 % is the default for both', of(10), 3, 2],
    ['maxUnavailable is at least one if maxSurge is zero', of(3, 0, '25%'), 0, 1],
    ['maxUnavailable becomes one if both are zero', of(3, '0%', 0), 0, 1],
    ['maxUnavailable is at most the number of replicas', of(3, 0, 9), 0, 3],
    ['maxUnavailable is zero without replicas', of(0, 1, 1), 1, 0],
    ['the strategy Recreate has none', of(10, 2, 3, 'Recreate'), 0, 0],
  ];
  for (const [what, leeway, surge, unavailable] of rows)
    it(what, () => {
      assert.deepEqual(leeway, { surge, unavailable });
    });
});
