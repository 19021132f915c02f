import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { changedBuild } from '../../changed-build.ts';
import { sabotages } from '../sabotage.ts';
import { LEASE_MS } from './instances.ts';
import { runControllers } from './run.ts';

describe('the controller checker detects a broken build', () => {
  it('whose leaders continue after they have lost the lease', async () => {
    const broken = await changedBuild(sabotages.endlessLeadership);
    try {
      const { violations } = await runControllers({
        seed: 1,
        seconds: 45,
        dist: broken.dist,
        // Two leaders at a time may count a pod of a job twice. Such a job is never done.
        settleMs: 20_000,
        // This stops one manager after the other for longer than its lease.
        harm: async ({ managers }, stop) => {
          const faults: string[] = [];
          for (let turn = 0; !stop.aborted; turn++) {
            managers.freeze(turn % 3, true);
            await sleep(2 * LEASE_MS);
            managers.freeze(turn % 3, false);
            faults.push('a manager is frozen');
            await sleep(1000);
          }
          return { faults, delays: [], falls: [] };
        },
      });
      const found = new Set(violations.map(({ law }) => law));
      assert.ok(found.has('alone'), `reported: ${[...found].join(', ') || 'nothing'}`);
    } finally {
      broken.remove();
    }
  });
});
