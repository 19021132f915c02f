import { contractTests } from './contract.test-suite.ts';
import { createEtcdStore, type EtcdStore } from './etcd-store.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

describe('the etcd store', () => {
  let etcd: EtcdProcess;
  let store: EtcdStore;
  let tests = 0;

  before(async () => {
    etcd = await EtcdProcess.start();
    store = createEtcdStore({ endpoints: [etcd.endpoint] });
  });

  after(async () => {
    await store.close();
    await etcd.stop();
  });

  contractTests(async () => {
    tests += 1;
    return { store, prefix: `/registry/test-${tests}/`, compact: (revision) => store.compact(revision) };
  });
});
