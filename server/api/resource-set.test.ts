import assert from 'node:assert/strict';
import { ResourceSet } from './resource-set.ts';
import type { ServedResource } from './served-resource.ts';

describe('what is served', () => {
  const served = [
    ['', 'v1', 'pods'],
    ['apps', 'v1', 'deployments'],
    ['apps', 'v1beta1', 'deployments'],
    ['other', 'v1', 'pods'],
  ].map(([group, version, plural]) => ({ group, version, type: { plural } }) as unknown as ServedResource);
  const set = new ResourceSet(served, []);

  it('is found by group, version and resource, whatever was asked for before', () => {
    for (const before of served) {
      for (const one of served) {
        assert.equal(set.find(before.group, before.version, before.type.plural), before);
        assert.equal(set.find(one.group, one.version, one.type.plural), one);
        assert.equal(set.find(one.group, 'v9', one.type.plural), undefined);
        assert.equal(set.find(one.group, one.version, 'nothing'), undefined);
      }
    }
  });
});
