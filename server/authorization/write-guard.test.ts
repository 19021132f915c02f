import assert from 'node:assert/strict';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testNaming } from '../testing/replica.ts';

describe('a write that would create an object, by a user who may not create it', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });

  const group = testNaming.group('rbac.authorization');
  const carol = { 'Impersonate-User': 'carol' };
  const leases = `/apis/${testNaming.group('coordination')}/v1/namespaces/default/leases`;

  before(async () => {
    const verbs = ['get', 'patch', 'update'];
    const rules = [
      { apiGroups: ['', testNaming.group('coordination')], resources: ['configmaps', 'leases', 'namespaces'], verbs },
    ];
    await replica.call('POST', `/apis/${group}/v1/clusterroles`, { body: { metadata: { name: 'changes' }, rules } });
    const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'changes' };
    const subjects = [{ apiGroup: group, kind: 'User', name: 'carol' }];
    const body = { metadata: { name: 'carol' }, roleRef, subjects };
    const made = await replica.call('POST', `/apis/${group}/v1/clusterrolebindings`, { body });
    assert.equal(made.status, 201, made.text);
  });

  const apply = (path: string, apiVersion: string, kind: string, name: string) =>
    replica.call('PATCH', `${path}/${name}?fieldManager=m`, {
      headers: { ...carol, 'Content-Type': 'application/apply-patch+yaml' },
      body: { apiVersion, kind, metadata: { name } },
    });

  it('gets 403 with the user and the missing permission, for apply and PUT', async () => {
    const maps = '/api/v1/namespaces/default/configmaps';
    const put = await replica.call('PUT', `${leases}/l`, {
      headers: carol,
      body: { metadata: { name: 'l' }, spec: {} },
    });
    const answers = [
      await apply(maps, 'v1', 'ConfigMap', 'x'),
      await apply('/api/v1/namespaces', 'v1', 'Namespace', 'x'),
      put,
    ];
    assert.deepEqual(
      answers.map(({ status, json }) => [status, json.reason, json.message]),
      [
        [
          'configmaps "x" is forbidden',
          'User "carol" cannot create resource "configmaps" in API group "" in the namespace "default"',
        ],
        [
          'namespaces "x" is forbidden',
          'User "carol" cannot create resource "namespaces" in API group "" in the namespace "x"',
        ],
        [
          'leases.coordination.orch.io "l" is forbidden',
          'User "carol" cannot create resource "leases" in API group "coordination.orch.io" in the namespace "default"',
        ],
      ].map(([what, why]) => [403, 'Forbidden', `${what}: ${why}`]),
    );
    const { code, details } = answers[0]!.json;
    assert.deepEqual([code, details], [403, { name: 'x', kind: 'configmaps' }]);
  });
});
