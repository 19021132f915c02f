import assert from 'node:assert/strict';
import type { DaemonSet } from '#schema/generated/apps.v1.ts';
import { FailedDaemons } from './failed-daemons.ts';

describe('FailedDaemons', () => {
  it('allows a replacement after a delay that doubles each time', () => {
    let now = 0;
    const failed = new FailedDaemons(() => now);
    const set = { metadata: { uid: 'u' } } as DaemonSet;
    for (const wait of [1000, 2000, 4000]) {
      assert.equal(failed.mayReplace(set, 'n1'), true);
      failed.replaced(set, 'n1');
      assert.equal(failed.mayReplace(set, 'n1'), false);
      assert.equal(failed.mayReplace(set, 'n2'), true);
      assert.equal(failed.nextInMs(set), wait);
      assert.equal(failed.nextInMs(set), undefined);
      now += wait;
    }
    now += 3_600_000;
    failed.replaced(set, 'n1');
    assert.equal(failed.mayReplace(set, 'n1'), false);
    assert.equal(failed.nextInMs(set), 1000);
  });
});
