import { contractTests } from '#storage/contract.test-suite.ts';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from './etcd-store.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

describe('the etcd store', () => {
  let etcd: EtcdProcess;
  let store: DataStore;
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
