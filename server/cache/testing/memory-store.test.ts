import { contractTests } from '#storage/contract.test-suite.ts';
import { MemoryStore } from './memory-store.ts';

describe('MemoryStore', () => {
  contractTests(async () => {
    const store = new MemoryStore();
    return { store, prefix: '/registry/test/', compact: async (revision) => store.compact(revision) };
  });
});
