import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { startBootstrappedEtcd } from './bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from './replica.ts';

/**
 * Before all tests of a suite, starts a replica on an etcd with the objects of every cluster. Stops both afterwards.
 */
export function aroundAll(started: (replica: TestReplica, etcd: EtcdProcess) => void, ...flags: string[]): void {
  let etcd: EtcdProcess | undefined;
  let replica: TestReplica | undefined;
  before(async () => {
    etcd = await startBootstrappedEtcd();
    replica = await startReplica(etcd.endpoint, ...flags);
    started(replica, etcd);
  });
  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });
}
