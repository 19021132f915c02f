import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { contractTests } from '#storage/contract.test-suite.ts';
import { type EmbeddedStore, openEmbeddedStore } from './embedded-store.ts';

describe('embedded store in memory', () => {
  let store: EmbeddedStore;
  let tests = 0;

  before(async () => {
    store = await openEmbeddedStore({ file: undefined });
  });

  after(() => store.close());

  contractTests(async () => {
    tests += 1;
    return { store, prefix: `/registry/test-${tests}/`, compact: (revision) => store.compact(revision) };
  });
});

describe('embedded store in a file', () => {
  let folder: string;
  let store: EmbeddedStore;
  let tests = 0;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'store-'));
    store = await openEmbeddedStore({ file: path.join(folder, 'store') });
  });

  after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  contractTests(async () => {
    tests += 1;
    return { store, prefix: `/registry/test-${tests}/`, compact: (revision) => store.compact(revision) };
  });
});
