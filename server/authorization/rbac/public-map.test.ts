import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { aroundAll } from '../../testing/around-all.ts';
import { type TestReplica, testNaming } from '../../testing/replica.ts';
import { publicMapPolicy } from './public-map.ts';

describe('the role to read cluster-info anonymously', () => {
  it('covers one config map in one namespace, for each naming', () => {
    const shown = namingProfiles.map((profile) => {
      const { role, binding } = publicMapPolicy(createNaming(profile));
      const [subject] = binding.subjects!;
      return `${role.namespace}/${role.name} ${JSON.stringify(role.rules)} ${subject!.apiGroup} ${subject!.name}`;
    });
    const rules = '[{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["cluster-info"]}]';
    assert.deepEqual(shown, [
      `orch-public/orchadm:bootstrap-signer-clusterinfo ${rules} rbac.authorization.orch.io system:anonymous`,
      `kube-public/kubeadm:bootstrap-signer-clusterinfo ${rules} rbac.authorization.k8s.io system:anonymous`,
    ]);
  });

  describe('on a server', () => {
    let replica: TestReplica;
    aroundAll((started) => {
      replica = started;
    });

    const group = testNaming.group('rbac.authorization');
    const name = 'orchadm:bootstrap-signer-clusterinfo';
    const roles = `/apis/${group}/v1/namespaces/orch-public/roles`;
    const bindings = `/apis/${group}/v1/namespaces/orch-public/rolebindings`;
    const maps = '/api/v1/namespaces/orch-public/configmaps';
    const anonymously = async (path: string, method = 'GET') =>
      (await replica.call(method, path, { token: '' })).status;

    it('is created with the config map, restored after deletion, and opens nothing else', async () => {
      assert.equal((await replica.call('GET', `${roles}/${name}`)).status, 404, 'nothing is opened before');
      await replica.call('POST', maps, { body: { metadata: { name: 'another' }, data: {} } });
      const body = { metadata: { name: 'cluster-info' }, data: { kubeconfig: 'x' } };
      assert.equal((await replica.call('POST', maps, { body })).status, 201);
      const opened = async () => {
        while ((await anonymously(`${maps}/cluster-info`)) !== 200) await sleep(50);
      };
      await opened();
      for (const path of [maps, `${maps}/another`, `${maps}?watch=1`]) assert.equal(await anonymously(path), 403, path);
      assert.equal(await anonymously(`${maps}/cluster-info`, 'DELETE'), 403);
      await replica.call('DELETE', `${bindings}/${name}`);
      await opened();
    });

    it('is not restored if an operator disables it by annotation', async () => {
      const key = testNaming.key('rbac.authorization/autoupdate');
      const headers = { 'Content-Type': 'application/merge-patch+json' };
      const change = { metadata: { annotations: { [key]: 'false' } }, subjects: [] };
      const patched = await replica.call('PATCH', `${bindings}/${name}`, { headers, body: change });
      assert.equal(patched.status, 200, patched.text);
      await sleep(1000);
      assert.equal(await anonymously(`${maps}/cluster-info`), 403);
    });
  });
});
