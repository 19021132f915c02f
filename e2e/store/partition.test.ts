import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica, testNaming } from '#server/testing/replica.ts';
import { CutProxy } from '#storage-etcd/testing/cut-proxy.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const GROUP = testNaming.group('rbac.authorization');
const RBAC = `/apis/${GROUP}/v1/namespaces/default`;
const MAPS = '/api/v1/namespaces/default/configmaps';
/** These reads are answered from memory at any age. Only the authorization may need the store. */
const ANY_MAPS = `${MAPS}?resourceVersion=0`;

/** The time for which a replica may still decide from its old knowledge. */
const TRUSTED_MS = 10_000;

describe('a replica that has lost its connection to etcd', function () {
  this.timeout(60_000);
  let etcd: EtcdProcess;
  let others: TestReplica;
  let token: string;
  const cutOff: { readonly how: string; readonly proxy: CutProxy; readonly replica: TestReplica }[] = [];

  before(async () => {
    etcd = await startBootstrappedEtcd();
    others = await startReplica(etcd.endpoint);
    for (const how of ['stands still', 'is cut']) {
      const proxy = await CutProxy.start(Number(new URL(etcd.endpoint).port));
      cutOff.push({ how, proxy, replica: await startReplica(proxy.endpoint) });
    }
    await ok('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'reader' } });
    const path = '/api/v1/namespaces/default/serviceaccounts/reader/token';
    token = (await ok('POST', path, { spec: {} })).json.status.token;
    await ok('POST', `${RBAC}/roles`, {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
    });
    await grant();
  });

  after(async () => {
    for (const { proxy } of cutOff) {
      proxy.thaw();
      proxy.heal();
    }
    await Promise.all([others?.stop(), ...cutOff.map(({ replica }) => replica.stop())]);
    await Promise.all(cutOff.map(({ proxy }) => proxy.close()));
    await etcd?.stop();
  });

  const ok = async (method: string, path: string, body?: object) => {
    const answer = await others.call(method, path, { body });
    assert.ok(answer.status < 300, answer.text);
    return answer;
  };
  const grant = () =>
    ok('POST', `${RBAC}/rolebindings`, {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: GROUP, kind: 'Role', name: 'reader' },
      subjects: [
        { kind: 'User', apiGroup: GROUP, name: 'jane' },
        { kind: 'ServiceAccount', name: 'reader', namespace: 'default' },
      ],
    });
  const asJane = async (replica: TestReplica) =>
    (await replica.call('GET', ANY_MAPS, { headers: { 'Impersonate-User': 'jane' } })).status;
  const asAccount = async (replica: TestReplica) => (await replica.call('GET', ANY_MAPS, { token })).status;
  const isReady = async (replica: TestReplica) => (await replica.call('GET', '/readyz')).status === 200;
  const until = async (what: string, limitMs: number, holds: () => Promise<boolean>) => {
    const end = performance.now() + limitMs;
    while (!(await holds())) {
      assert.ok(performance.now() < end, `${what} within ${limitMs} ms`);
      await sleep(100);
    }
  };

  it('stops granting permissions that were revoked elsewhere, is not ready, and recovers', async () => {
    for (const { replica } of cutOff) {
      assert.equal(await asJane(replica), 200);
      assert.equal(await asAccount(replica), 200);
    }
    cutOff[0]!.proxy.freeze();
    cutOff[1]!.proxy.sever();
    const gone = performance.now();
    await ok('DELETE', `${RBAC}/rolebindings/reader`);

    await Promise.all(
      cutOff.map(async ({ how, proxy, replica }) => {
        let refusals = 0;
        while (performance.now() - gone < TRUSTED_MS + 4000 || refusals < 3) {
          const asked = performance.now() - gone;
          for (const status of await Promise.all([asJane(replica), asAccount(replica)])) {
            if (asked < TRUSTED_MS) assert.ok([200, 503].includes(status), `${status}`);
            else assert.equal(status, 503, `the connection ${how} for ${Math.round(asked)} ms`);
            if (status === 503) refusals++;
          }
          if (asked > TRUSTED_MS) assert.equal(await isReady(replica), false);
          await sleep(250);
        }
        assert.equal((await replica.call('GET', ANY_MAPS)).status, 200, 'administrators need no stored policy');
        proxy.thaw();
        proxy.heal();
        await until('ready again', 20_000, () => isReady(replica));
        assert.deepEqual([await asJane(replica), await asAccount(replica)], [403, 403]);
      }),
    );

    await grant();
    for (const { replica } of cutOff) assert.deepEqual([await asJane(replica), await asAccount(replica)], [200, 200]);
  });
});
