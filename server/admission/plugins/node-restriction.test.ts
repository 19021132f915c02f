import assert from 'node:assert/strict';
import { naming, podWith, type Trial, trying } from '../testing/try-plugin.ts';
import { nodeRestriction } from './node-restriction.ts';

const leases = naming.prefixed('node-lease');
const user = { name: 'system:node:n1', groups: ['system:nodes'] };
const mirror = { [naming.key('config.mirror')]: 'x' };
const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u', controller: true };
const node = (metadata: object = {}, spec: object = {}) => ({ metadata: { name: 'n1', ...metadata }, spec });
const mine = { ...podWith({ nodeName: 'n1' }), metadata: { name: 'mine', namespace: 'ns', uid: 'm' } };
const theirs = { ...podWith({ nodeName: 'n2' }), metadata: { name: 'theirs', namespace: 'ns', uid: 't' } };
const attempt = trying(nodeRestriction, {
  objects: { '/nodes': [{ metadata: { name: 'n1', uid: 'u' } }], '/pods': [mine, theirs] },
});

const mirrorPod = (spec: object, metadata: object = {}): object =>
  podWith({ nodeName: 'n1', ...spec }, { annotations: mirror, ownerReferences: [owner], ...metadata });
const label = (key: string) => node({ labels: { [naming.key(key)]: 'x' } });
const token = (boundObjectRef?: object) => ({ metadata: {}, spec: { boundObjectRef } });
const bound = (more: object) => token({ apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: 'm', ...more });
const update = { operation: 'UPDATE' } as const;

const cases: readonly [string, Trial, string][] = [
  ['the creation of its own node', { resource: 'nodes', object: node() }, ''],
  [
    'the creation of another node',
    { resource: 'nodes', object: { metadata: { name: 'n2' } } },
    'node "n1" is not allowed to modify node "n2"',
  ],
  ['labels that a node can set', { resource: 'nodes', object: label('hostname') }, ''],
  ['labels with the prefix for node agents', { resource: 'nodes', object: label('kubelet/x') }, ''],
  [
    'other labels of the product',
    { resource: 'nodes', object: label('x') },
    `node "n1" is not allowed to set the following labels: ${naming.key('x')}`,
  ],
  [
    'labels with the restricted prefix',
    { resource: 'nodes', ...update, object: label('node-restriction/x'), oldObject: node() },
    `is not allowed to modify labels: ${naming.key('node-restriction/x')}`,
  ],
  ['unchanged labels', { resource: 'nodes', ...update, object: label('x'), oldObject: label('x') }, ''],
  [
    'changed taints',
    {
      resource: 'nodes',
      ...update,
      object: node(),
      oldObject: node({}, { taints: [{ key: 'a', effect: 'NoSchedule' }] }),
    },
    'node "n1" is not allowed to modify taints',
  ],
  ['the creation of a mirror pod', { object: mirrorPod({}) }, ''],
  [
    'the creation of other pods',
    { object: podWith() },
    `pod does not have "${naming.key('config.mirror')}" annotation, node "n1" can only create mirror pods`,
  ],
  [
    'the creation of pods on other nodes',
    { object: mirrorPod({ nodeName: 'n2' }) },
    'node "n1" can only create pods with spec.nodeName set to itself',
  ],
  [
    'the creation of pods without an owner',
    { object: mirrorPod({}, { ownerReferences: [] }) },
    'node "n1" can only create pods with an owner reference set to itself',
  ],
  [
    'the creation of pods that an earlier node with this name owns',
    { object: mirrorPod({}, { ownerReferences: [{ ...owner, uid: 'old' }] }) },
    'node "n1" UID mismatch: expected u got old',
  ],
  [
    'the creation of pods that reference config maps',
    { object: mirrorPod({ volumes: [{ name: 'v', configMap: { name: 'c' } }] }) },
    'node "n1" can not create pods that reference configmaps',
  ],
  ['the deletion of its pods', { operation: 'DELETE', name: 'mine', oldObject: mine }, ''],
  [
    'the deletion of other pods',
    { operation: 'DELETE', name: 'theirs', oldObject: theirs },
    'node "n1" can only delete pods with spec.nodeName set to itself',
  ],
  [
    'the status of pods on other nodes',
    { ...update, subresource: 'status', object: theirs, oldObject: theirs },
    'node "n1" can only update pod status for pods with spec.nodeName set to itself',
  ],
  [
    'labels through the status',
    { ...update, subresource: 'status', object: { ...mine, metadata: { labels: { a: 'b' } } }, oldObject: mine },
    'node "n1" cannot update labels through pod status',
  ],
  ['the eviction of its pods', { subresource: 'eviction', name: 'mine', object: { metadata: {} } }, ''],
  [
    'the eviction of other pods',
    { subresource: 'eviction', name: 'theirs', object: { metadata: {} } },
    'node n1 can only evict pods with spec.nodeName set to itself',
  ],
  [
    'the binding of pods',
    { subresource: 'binding', name: 'mine', object: { metadata: {} } },
    `unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
  ],
  ['a token for its pod', { resource: 'serviceaccounts', subresource: 'token', object: bound({}) }, ''],
  [
    'a token without a bound object',
    { resource: 'serviceaccounts', subresource: 'token', object: token() },
    'node requested token not bound to a pod',
  ],
  [
    'a token for a pod without its UID',
    { resource: 'serviceaccounts', subresource: 'token', object: bound({ uid: '' }) },
    'node requested token with a pod binding without a uid',
  ],
  [
    'a token for a pod on another node',
    { resource: 'serviceaccounts', subresource: 'token', object: bound({ name: 'theirs', uid: 't' }) },
    'node requested token bound to a pod scheduled on a different node',
  ],
  [
    'a token for a pod that does not exist',
    { resource: 'serviceaccounts', subresource: 'token', object: bound({ name: 'none' }) },
    'pod "none" not found',
  ],
  [
    'leases in other namespaces',
    { group: 'coordination', resource: 'leases', object: { metadata: { name: 'n1' } } },
    `can only access leases in the "${leases}" system namespace`,
  ],
  [
    'the lease of another node',
    { group: 'coordination', resource: 'leases', namespace: leases, object: { metadata: { name: 'n2' } } },
    'can only access node lease with the same name as the requesting node',
  ],
  [
    'the CSINode of another node',
    { group: 'storage', resource: 'csinodes', object: { metadata: { name: 'n2' } } },
    'can only access CSINode with the same name as the requesting node',
  ],
  [
    'changes of claims outside of their status',
    { resource: 'persistentvolumeclaims', ...update, object: node(), oldObject: node() },
    'may only update PVC status',
  ],
  ['requests for other kinds', { resource: 'configmaps', object: { metadata: { name: 'c' } } }, ''],
];

describe('NodeRestriction', () => {
  for (const [what, trial, expected] of cases) {
    it(`${expected === '' ? 'allows' : 'refuses'} ${what}`, async () => {
      assert.equal((await attempt({ user, ...trial })).refused, expected);
    });
  }

  it('applies to users in the group of nodes only, and refuses a node without a name', async () => {
    const object = label('x');
    assert.equal((await attempt({ user: { ...user, groups: [] }, resource: 'nodes', object })).refused, '');
    assert.equal((await attempt({ user: { ...user, name: 'other' }, resource: 'nodes', object })).refused, '');
    const { refused } = await attempt({ user: { ...user, name: 'system:node:' }, resource: 'nodes', object });
    assert.equal(refused, 'could not determine node from user "system:node:"');
  });
});
