import assert from 'node:assert/strict';
import { keyPrefixOf, partsOfStorageId, storageId, storageIdOfKey } from './storage-id.ts';

describe('storageIdOfKey', () => {
  const base = '/registry/'.length;
  for (const [key, id, loose] of [
    ['/registry/core/pods/default/web', 'core/pods', 'core/pods'],
    ['/registry/apps/deployments/', 'apps/deployments', 'apps/deployments'],
    ['/registry/ranges/serviceips', undefined, 'ranges/serviceips'],
    ['/registry/compaction', undefined, undefined],
    ['/registry/apps/', undefined, undefined],
    ['/registry/apps//web', undefined, undefined],
    ['/registry/', undefined, undefined],
  ] as const)
    it(`finds ${id ?? 'no resource'} in ${key}`, () => {
      assert.equal(storageIdOfKey(key, base), id);
      assert.equal(storageIdOfKey(key, base, false), loose);
    });

  for (const [group, plural] of [
    ['', 'pods'],
    ['apps', 'deployments'],
    ['shop.example.com', 'carts'],
  ] as const)
    it(`finds ${group}/${plural} in the keys of that resource`, () => {
      const key = `${keyPrefixOf('/registry', group, plural)}a/b`;
      assert.equal(storageIdOfKey(key, base), storageId(group, plural));
      assert.deepEqual(partsOfStorageId(storageIdOfKey(key, base)!), { group, plural });
    });
});
