import assert from 'node:assert/strict';
import type { AccessQuestion } from '../../api/access.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import type { Registry } from '../../resources/registry.ts';
import { ResourceSet } from '../../resources/resource-set.ts';
import { FakeCluster } from '../testing/fake-cluster.ts';
import { surroundings, type Trial, tryPlugin } from '../testing/try-plugin.ts';
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.ts';

const configMap = (...ownerReferences: object[]) => ({ metadata: { name: 'a', ownerReferences } });
const owner = { apiVersion: 'v1', kind: 'Node', name: 'o', uid: 'u' };
const blocking = { ...owner, blockOwnerDeletion: true };

class OneResource extends FakeCluster {
  override get registry(): Registry {
    const type = { kind: 'Node', plural: 'nodes', namespaced: false };
    const nodes = { type, apiVersion: 'v1', group: '', version: 'v1', stored: {} } as unknown as ServedResource;
    const resources = ResourceSet.of([nodes], []);
    return { current: () => resources } as unknown as Registry;
  }
}

/** The answer that a user with these rights gets, and the rights that the plug-in asked about. */
async function attempt(rights: readonly string[], trial: Trial): Promise<{ refused: string; asked: string[] }> {
  const asked: string[] = [];
  const access = async ({ verb, resource, subresource, namespace, name }: AccessQuestion) => {
    asked.push(`${verb} ${namespace}/${resource}/${name}/${subresource}`);
    return { allowed: rights.includes(verb), reason: 'because' };
  };
  const plugin = ownerReferencesPermissionEnforcement({ ...surroundings({ access }), cluster: new OneResource() });
  const { refused } = await tryPlugin(plugin, { resource: 'configmaps', ...trial });
  return { refused, asked };
}

const cases: readonly [string, string[], Trial, RegExp, string[]][] = [
  ['allows a new object with an owner', [], { object: configMap(owner) }, /^$/, []],
  [
    'allows an update that does not change the owners',
    [],
    { operation: 'UPDATE', object: configMap(owner), oldObject: configMap(owner) },
    /^$/,
    [],
  ],
  [
    'refuses an added owner if the user cannot delete the object',
    [],
    { operation: 'UPDATE', object: configMap(owner), oldObject: configMap() },
    /^cannot set an ownerRef on a resource you can't delete: because, <nil>$/,
    ['delete ns/configmaps/a/'],
  ],
  [
    'refuses blockOwnerDeletion if the user cannot update finalizers of the owner',
    [],
    { object: configMap(blocking) },
    /^cannot set blockOwnerDeletion if .* can't set finalizers on: because, <nil>$/,
    ['update /nodes/o/finalizers'],
  ],
  [
    'allows blockOwnerDeletion if the user can update finalizers of the owner',
    ['update'],
    { object: configMap(blocking) },
    /^$/,
    ['update /nodes/o/finalizers'],
  ],
  [
    'does not check a blockOwnerDeletion that was set before',
    ['delete'],
    { operation: 'UPDATE', object: configMap(blocking, owner), oldObject: configMap(blocking) },
    /^$/,
    ['delete ns/configmaps/a/'],
  ],
  [
    'refuses an owner of an unknown kind',
    ['update'],
    { object: configMap({ ...blocking, kind: 'Foo' }) },
    /no matches for kind "Foo" in version "v1"$/,
    [],
  ],
  [
    'ignores the status of pods',
    [],
    { operation: 'UPDATE', resource: 'pods', subresource: 'status', object: configMap(owner), oldObject: configMap() },
    /^$/,
    [],
  ],
];

describe('OwnerReferencesPermissionEnforcement', () => {
  for (const [what, rights, trial, refused, asked] of cases) {
    it(what, async () => {
      const outcome = await attempt(rights, trial);
      assert.match(outcome.refused, refused);
      assert.deepEqual(outcome.asked, asked);
    });
  }
});
