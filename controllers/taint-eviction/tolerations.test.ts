import assert from 'node:assert/strict';
import type { Taint, Toleration } from '#schema/generated/core.v1.ts';
import { toleratedSeconds, tolerates } from './tolerations.ts';

const taint: Taint = { key: 'k', value: 'v', effect: 'NoExecute' };

describe('tolerations', () => {
  const rows: readonly (readonly [toleration: Toleration, tolerated: boolean])[] = [
    [{ key: 'k', value: 'v', effect: 'NoExecute' }, true],
    [{ key: 'k', operator: 'Equal', value: 'v' }, true],
    [{ key: 'k', value: 'w' }, false],
    [{ key: 'k' }, false],
    [{ key: 'k', operator: 'Exists' }, true],
    [{ key: 'j', operator: 'Exists' }, false],
    [{ operator: 'Exists' }, true],
    [{ operator: 'Exists', effect: 'NoSchedule' }, false],
  ];
  for (const [toleration, tolerated] of rows)
    it(`${JSON.stringify(toleration)} ${tolerated ? 'tolerates' : 'does not tolerate'} the taint`, () => {
      assert.equal(tolerates(toleration, taint), tolerated);
    });

  it('toleratedSeconds returns how long a pod can stay', () => {
    const other: Taint = { key: 'o', effect: 'NoExecute' };
    const always = { operator: 'Exists' };
    const [five, nine] = [5, 9].map((tolerationSeconds) => ({ key: 'k', operator: 'Exists', tolerationSeconds }));
    const cases: readonly (readonly [Toleration[] | undefined, Taint[], number])[] = [
      [undefined, [taint], 0],
      [undefined, [], Number.POSITIVE_INFINITY],
      [[always], [taint, other], Number.POSITIVE_INFINITY],
      [[five!], [taint], 5],
      [[five!], [taint, other], 0],
      [[five!, always], [taint, other], 5],
      [[nine!, five!], [taint], 9],
      [[{ ...five!, tolerationSeconds: -1 }], [taint], 0],
    ];
    for (const [tolerations, taints, seconds] of cases) assert.equal(toleratedSeconds(tolerations, taints), seconds);
  });
});
