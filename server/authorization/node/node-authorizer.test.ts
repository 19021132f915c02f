import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { type Attributes, resourceAttributes } from '../../api/attributes.ts';
import { MemoryReader } from '../testing/memory-reader.ts';
import { nodeAuthorizer } from './node-authorizer.ts';
import { NodeGraph } from './node-graph.ts';

const naming = createNaming('orch');
const storage = naming.group('storage');
const coordination = naming.group('coordination');
const leases = naming.prefixed('node-lease');
const node1 = { name: 'system:node:node1', uid: '', groups: ['system:nodes'], extra: {} };

const reference = (name: string) => ({ secretKeyRef: { name, key: 'k' } });
const pod = (name: string, nodeName: string, spec: object, annotations?: Record<string, string>): ApiObject => ({
  metadata: { namespace: 'ns', name, ...(annotations && { annotations }) },
  spec: { nodeName, ...spec },
});
const everything = {
  serviceAccountName: 'robot',
  imagePullSecrets: [{ name: 'pull' }],
  containers: [
    {
      env: [{ valueFrom: reference('env') }, { valueFrom: { configMapKeyRef: { name: 'env', key: 'k' } } }],
      envFrom: [{ secretRef: { name: 'from' } }, { configMapRef: { name: 'from' } }],
    },
  ],
  initContainers: [{ env: [{ valueFrom: reference('init') }] }],
  ephemeralContainers: [{ env: [{ valueFrom: reference('ephemeral') }] }],
  volumes: [
    { name: 'a', secret: { secretName: 'vol' } },
    { name: 'b', configMap: { name: 'vol' } },
    { name: 'c', projected: { sources: [{ secret: { name: 'proj' } }, { configMap: { name: 'proj' } }] } },
    { name: 'd', persistentVolumeClaim: { claimName: 'claim' } },
    { name: 'scratch', ephemeral: {} },
    { name: 'e', azureFile: { secretName: 'azure' } },
    { name: 'f', csi: { nodePublishSecretRef: { name: 'csi' } } },
  ],
};

describe('the node authorizer', () => {
  let reader: MemoryReader;
  const decide = (about: Partial<Attributes>, user = node1) => authorizer.authorize(resourceAttributes(user, about));
  let authorizer: ReturnType<typeof nodeAuthorizer>;
  beforeEach(() => {
    reader = new MemoryReader();
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    authorizer = nodeAuthorizer(new NodeGraph(reader, naming), rules, naming, { selectors: false });
  });
  const may = async (about: Partial<Attributes>) =>
    (await decide({ verb: 'get', namespace: 'ns', ...about })).verdict === 'allow';

  it('allows objects that pods on the node reference', async () => {
    reader.put('', 'pods', pod('p', 'node1', everything));
    for (const name of ['pull', 'env', 'from', 'init', 'ephemeral', 'vol', 'proj', 'azure', 'csi'])
      assert.ok(await may({ resource: 'secrets', name }), name);
    for (const name of ['env', 'from', 'vol', 'proj']) assert.ok(await may({ resource: 'configmaps', name }), name);
    for (const name of ['claim', 'p-scratch']) assert.ok(await may({ resource: 'persistentvolumeclaims', name }), name);
    assert.ok(await may({ verb: 'create', resource: 'serviceaccounts', subresource: 'token', name: 'robot' }));
    assert.ok(await may({ verb: 'list', resource: 'secrets', name: 'env' }), 'narrowed to the name');
    assert.equal(await may({ resource: 'secrets', name: 'env', namespace: 'other' }), false);
    assert.equal(await may({ resource: 'secrets', name: 'claim' }), false);
    assert.ok(await may({ verb: 'patch', resource: 'persistentvolumeclaims', subresource: 'status', name: 'claim' }));
  });

  it('stops allowing objects that no pod on the node references', async () => {
    const secret = { imagePullSecrets: [{ name: 's' }] };
    reader.put('', 'pods', pod('a', 'node1', secret)).put('', 'pods', pod('b', 'node1', secret));
    reader.put('', 'pods', pod('c', 'node2', secret));
    reader.remove('', 'pods', 'ns', 'a');
    assert.ok(await may({ resource: 'secrets', name: 's' }));
    reader.put('', 'pods', pod('b', 'node1', {}));
    assert.equal(await may({ resource: 'secrets', name: 's' }), false);
    reader.put('', 'pods', pod('b', 'node1', secret));
    assert.ok(await may({ resource: 'secrets', name: 's' }));
    reader.remove('', 'pods', 'ns', 'b');
    assert.equal(await may({ resource: 'secrets', name: 's' }), false);
  });

  it('allows nothing because of unscheduled pods or mirror pods', async () => {
    const secret = { imagePullSecrets: [{ name: 's' }] };
    reader.put('', 'pods', pod('a', '', secret));
    reader.put('', 'pods', pod('b', 'node1', secret, { [naming.key('config.mirror')]: 'x' }));
    assert.equal(await may({ resource: 'secrets', name: 's' }), false);
  });

  it('allows volumes and their secrets through claims', async () => {
    const volume = (name: string, claim?: string): ApiObject => ({
      metadata: { name },
      spec: {
        ...(claim && { claimRef: { namespace: 'ns', name: claim } }),
        csi: {
          nodePublishSecretRef: { name: 'own', namespace: 'ns' },
          nodeStageSecretRef: { name: 'stage', namespace: 'far' },
          controllerPublishSecretRef: { name: 'controller', namespace: 'ns' },
        },
      },
    });
    const cluster = { namespace: '', resource: 'persistentvolumes', name: 'pv' };
    reader.put('', 'persistentvolumes', volume('pv', 'claim'));
    assert.equal(await may(cluster), false);
    reader.put('', 'pods', pod('p', 'node1', everything));
    assert.ok(await may(cluster));
    assert.ok(await may({ resource: 'secrets', name: 'own' }));
    assert.ok(await may({ resource: 'secrets', name: 'stage', namespace: 'far' }));
    assert.equal(await may({ resource: 'secrets', name: 'controller' }), false);
    reader.put('', 'persistentvolumes', volume('pv', 'other'));
    assert.equal(await may(cluster), false);
    assert.equal(await may({ resource: 'secrets', name: 'own' }), false);
    reader.put('', 'persistentvolumes', volume('pv', 'claim'));
    reader.remove('', 'persistentvolumes', '', 'pv');
    assert.equal(await may(cluster), false);
    assert.equal(await may({ resource: 'secrets', name: 'own' }), false);
  });

  it('allows the volume attachments of the node', async () => {
    const attachment = { group: storage, resource: 'volumeattachments', namespace: '', name: 'va' };
    reader.put('storage', 'volumeattachments', { metadata: { name: 'va' }, spec: { nodeName: 'node1' } });
    assert.ok(await may(attachment));
    reader.put('storage', 'volumeattachments', { metadata: { name: 'va' }, spec: { nodeName: 'node2' } });
    assert.equal(await may(attachment), false);
  });

  const unrelated = "no relationship found between node 'node1' and this object";
  const one = 'can only get individual resources of this type';
  const token = 'can only create tokens for individual service accounts';
  const lease = { group: coordination, resource: 'leases', namespace: leases, name: 'node1' };
  const csi = { group: storage, resource: 'csinodes', namespace: '', name: 'node1' };
  const reasons: [about: Partial<Attributes>, reason: string | undefined][] = [
    [{ verb: 'get', resource: 'secrets', namespace: 'ns', name: 's' }, unrelated],
    [{ verb: 'list', resource: 'secrets', namespace: 'ns' }, 'No Object name found'],
    [{ verb: 'list', resource: 'secrets' }, 'can only read namespaced object of this type'],
    [{ verb: 'update', resource: 'secrets', namespace: 'ns', name: 's' }, 'can only read resources of this type'],
    [{ verb: 'get', resource: 'configmaps', namespace: 'ns', name: 'c', subresource: 'x' }, 'cannot read subresource'],
    [{ verb: 'list', resource: 'persistentvolumeclaims', namespace: 'ns' }, one],
    [{ verb: 'patch', resource: 'persistentvolumeclaims', namespace: 'ns', name: 'c' }, one],
    [{ verb: 'delete', resource: 'persistentvolumes', name: 'v' }, one],
    [{ verb: 'get', resource: 'persistentvolumes', name: 'v' }, unrelated],
    [{ verb: 'get', resource: 'serviceaccounts', namespace: 'ns', name: 's' }, token],
    [{ verb: 'get', resource: 'serviceaccounts', subresource: 'token', namespace: 'ns', name: 's' }, token],
    [{ verb: 'create', resource: 'serviceaccounts', namespace: 'ns' }, token],
    [{ verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: 'ns', name: 's' }, unrelated],
    [{ ...lease, verb: 'get' }, undefined],
    [{ ...lease, verb: 'create', name: '' }, undefined],
    [
      { ...lease, verb: 'patch', name: 'node2' },
      'can only access node lease with the same name as the requesting node',
    ],
    [{ ...lease, verb: 'list', name: 'node1' }, 'can only get, create, update, patch, or delete a node lease'],
    [{ ...lease, verb: 'get', namespace: 'default' }, `can only access leases in the "${leases}" system namespace`],
    [{ ...csi, verb: 'get' }, undefined],
    [{ ...csi, verb: 'get', name: 'node2' }, 'can only access CSINode with the same name as the requesting node'],
    [{ ...csi, verb: 'list', name: '' }, 'can only get, create, update, patch, or delete a CSINode'],
    [{ verb: 'get', resource: 'pods', namespace: 'ns', name: 'p' }, undefined],
    [{ verb: 'delete', resource: 'nodes', name: 'node1' }, ''],
  ];
  for (const [about, reason] of reasons)
    it(`${about.verb} ${about.resource} ${about.namespace ?? ''}/${about.name ?? ''}: ${reason ?? 'allowed'}`, async () =>
      assert.deepEqual(
        await decide(about),
        reason === undefined ? { verdict: 'allow', reason: '' } : { verdict: 'no-opinion', reason },
      ));

  it('has no opinion about other users', async () => {
    for (const user of [
      { ...node1, groups: [] },
      { ...node1, name: 'system:nodes:node1' },
    ])
      assert.deepEqual(await decide({ verb: 'get', resource: 'pods', name: 'p' }, user), {
        verdict: 'no-opinion',
        reason: '',
      });
    assert.equal(authorizer.rules(node1, 'ns').incomplete, true);
    assert.equal(authorizer.rules({ ...node1, groups: [] }, 'ns').incomplete, false);
  });
});

describe('the node authorizer in releases that evaluate selectors', () => {
  const pods = { resource: 'pods', namespace: '' };
  const nodes = { resource: 'nodes', namespace: '' };
  const selecting = (rawSelector: string) => ({ fieldSelector: { rawSelector } });
  const onlySelected = 'can only list/watch pods with spec.nodeName field selector';
  const unrelated = "no relationship found between node 'node1' and this object";
  const cases: [about: Partial<Attributes>, reason: string | undefined][] = [
    [{ ...pods, verb: 'list' }, onlySelected],
    [{ ...pods, verb: 'list', ...selecting('spec.nodeName=node1') }, undefined],
    [{ ...pods, verb: 'watch', ...selecting('spec.nodeName=node1,status.phase=Running') }, undefined],
    [{ ...pods, verb: 'list', ...selecting('spec.nodeName=node2') }, onlySelected],
    [{ ...pods, verb: 'list', ...selecting('spec.nodeName!=node1') }, onlySelected],
    [{ ...pods, verb: 'list', ...selecting('x') }, onlySelected],
    [{ ...pods, verb: 'deletecollection', ...selecting('spec.nodeName=node1') }, ''],
    [{ ...pods, verb: 'get', namespace: 'ns', name: 'mine' }, undefined],
    [{ ...pods, verb: 'watch', namespace: 'ns', name: 'mine' }, undefined],
    [{ ...pods, verb: 'get', namespace: 'ns', name: 'theirs' }, unrelated],
    [{ ...pods, verb: 'create', namespace: 'ns' }, undefined],
    [{ ...pods, verb: 'patch', namespace: 'ns', name: 'theirs', subresource: 'status' }, undefined],
    [{ ...pods, verb: 'create', namespace: 'ns', name: 'theirs', subresource: 'eviction' }, undefined],
    [{ ...pods, verb: 'get', namespace: 'ns', name: 'mine', subresource: 'log' }, ''],
    [{ ...nodes, verb: 'get', name: 'node1' }, undefined],
    [{ ...nodes, verb: 'get', name: 'node2' }, "node 'node1' cannot read 'node2', only its own Node object"],
    [{ ...nodes, verb: 'list' }, "node 'node1' cannot read all nodes, only its own Node object"],
    [{ ...nodes, verb: 'create' }, undefined],
    [{ ...nodes, verb: 'delete', name: 'node1' }, ''],
    [{ ...nodes, verb: 'update', name: 'node1', subresource: 'status' }, undefined],
  ];
  for (const [about, reason] of cases)
    it(`${JSON.stringify(about)} -> ${reason ?? 'allowed'}`, async () => {
      const reader = new MemoryReader();
      const authorizer = nodeAuthorizer(new NodeGraph(reader, naming), [], naming, { selectors: true });
      reader.put('', 'pods', pod('mine', 'node1', {})).put('', 'pods', pod('theirs', 'node2', {}));
      const decision = await authorizer.authorize(resourceAttributes(node1, about));
      assert.deepEqual(
        decision,
        reason === undefined ? { verdict: 'allow', reason: '' } : { verdict: 'no-opinion', reason },
      );
    });
});
