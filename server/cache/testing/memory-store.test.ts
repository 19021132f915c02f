import { contractTests } from '#storage/contract.test-suite.ts';
import { MemoryStore } from './memory-store.ts';

describe('the store in memory, as the store on etcd,', () => {
  contractTests(async () => {
    const store = new MemoryStore();
    return { store, prefix: '/registry/test/', compact: async (revision) => store.compact(revision) };
  });
});
