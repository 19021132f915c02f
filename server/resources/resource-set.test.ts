import assert from 'node:assert/strict';
import type { ServedResource, StoredResource } from '../api/served-resource.ts';
import { ResourceSet } from './resource-set.ts';

describe('ResourceSet', () => {
  const served = [
    ['', 'v1', 'pods'],
    ['apps', 'v1', 'deployments'],
    ['apps', 'v1beta1', 'deployments'],
    ['other', 'v1', 'pods'],
  ].map(([group, version, plural]) => ({ group, version, type: { plural } }) as unknown as ServedResource);
  const set = ResourceSet.of(served, []);
  const defined = (group: string, version: string, plural: string) => ({
    group,
    short: group,
    served: [{ group, version, type: { plural } } as unknown as ServedResource],
    stored: [{ group, plural } as unknown as StoredResource],
  });

  it('finds a resource by group, version and name, independent of earlier lookups', () => {
    for (const before of served) {
      for (const one of served) {
        assert.equal(set.find(before.group, before.version, before.type.plural), before);
        assert.equal(set.find(one.group, one.version, one.type.plural), one);
        assert.equal(set.find(one.group, 'v9', one.type.plural), undefined);
        assert.equal(set.find(one.group, one.version, 'nothing'), undefined);
      }
    }
  });

  it('reuses the objects of groups and versions that did not change', () => {
    const [own, other] = [defined('apps', 'v2', 'gadgets'), defined('tools', 'v1', 'hammers')];
    const one = set.withDefined([own, other]);
    assert.deepEqual(
      one.groups.map(({ name, versions }) => [name, ...versions]),
      [
        ['', 'v1'],
        ['apps', 'v1', 'v1beta1', 'v2'],
        ['other', 'v1'],
        ['tools', 'v1'],
      ],
    );
    const same = one.withDefined([defined('apps', 'v2', 'gadgets'), other]);
    assert.equal(same.groups, one.groups);
    assert.equal(same.inVersion('tools', 'v1'), one.inVersion('tools', 'v1'));
    assert.notEqual(same.inVersion('apps', 'v2'), one.inVersion('apps', 'v2'));
    const less = same.withDefined([other]);
    assert.deepEqual(less.group('apps')?.versions, ['v1', 'v1beta1']);
    assert.equal(less.find('apps', 'v2', 'gadgets'), undefined);
    assert.equal(less.stored('tools', 'hammers'), other.stored[0]);
    assert.equal(less.group('tools'), one.group('tools'));
  });

  it('prefers a built-in resource to a definition with the same name', () => {
    const one = set.withDefined([defined('apps', 'v1', 'deployments')]);
    assert.equal(one.find('apps', 'v1', 'deployments'), served[1]);
    assert.equal(one.inVersion('apps', 'v1'), set.inVersion('apps', 'v1'));
  });
});
