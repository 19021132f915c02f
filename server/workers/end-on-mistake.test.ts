import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { startBootstrappedEtcd } from '../testing/bootstrapped-etcd.ts';
import { ReplicaProcess } from '../testing/replica-process.ts';

/** Code that a process loads first. It makes its mistake when it gets a signal. */
const MISTAKES: readonly [what: string, code: string][] = [
  ['unhandled rejection', 'Promise.reject(new Error("what a mistake"))'],
  ['uncaught exception', 'throw new Error("what a mistake")'],
];

describe('a replica with a bug in its program', function () {
  this.timeout(90_000);
  let etcd: EtcdProcess;

  before(async () => {
    etcd = await startBootstrappedEtcd();
  });

  after(() => etcd.stop());

  for (const [what, code] of MISTAKES) {
    it(`shuts down in order, and writes the cause to the log last: ${what}`, async () => {
      const load = `process.on('SIGUSR2', () => { ${code} })`;
      const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(load)}` };
      const replica = await ReplicaProcess.launchIn(environment, etcd);
      await replica.ready();
      const watch = await replica.watch('/api/v1/namespaces');
      process.kill(replica.process.pid, 'SIGUSR2');
      assert.equal(await watch.ended, 'clean');
      while (replica.process.exit() === undefined) await sleep(20);
      assert.equal(replica.process.exit(), 'status 1');
      const last = readFileSync(replica.process.log, 'utf8').trim().split('\n').at(-1)!;
      const { level, msg } = JSON.parse(last);
      assert.deepEqual([level, msg], ['fatal', `ended because of a bug in this program (${what}): what a mistake`]);
    });
  }
});
