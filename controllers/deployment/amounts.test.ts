import assert from 'node:assert/strict';
import type { Deployment } from '#schema/generated/apps.v1.ts';
import { leewayOf } from './amounts.ts';

describe('the leeway of a deployment', () => {
  const of = (replicas: number, maxSurge?: number | string, maxUnavailable?: number | string, type = 'RollingUpdate') =>
    leewayOf({
      metadata: {},
      spec: { replicas, strategy: { type, rollingUpdate: { maxSurge, maxUnavailable } } },
    } as unknown as Deployment);
  const rows: [what: string, leeway: ReturnType<typeof of>, surge: number, unavailable: number][] = [
    ['numbers', of(10, 2, 3), 2, 3],
    ['shares of surge are rounded up, of unavailable pods down', of(10, '25%', '25%'), 3, 2],
    ['a quarter is the default', of(10), 3, 2],
    ['one pod may be missing where nothing else may be', of(3, 0, '25%'), 0, 1],
    ['and where surge and missing pods are nothing', of(3, '0%', 0), 0, 1],
    ['never more than there are', of(3, 0, 9), 0, 3],
    ['of none none', of(0, 1, 1), 1, 0],
    ['recreation has none', of(10, 2, 3, 'Recreate'), 0, 0],
  ];
  for (const [what, leeway, surge, unavailable] of rows)
    it(what, () => {
      assert.deepEqual(leeway, { surge, unavailable });
    });
});
