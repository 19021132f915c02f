import assert from 'node:assert/strict';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { startBootstrappedEtcd } from '../../testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '../../testing/replica.ts';

const PODS = '/api/v1/namespaces/racing/pods';
const QUOTAS = '/api/v1/namespaces/racing/resourcequotas';

function pod(name: string): unknown {
  return {
    metadata: { name },
    spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
  };
}

describe('a quota that two replicas charge at the same time', () => {
  let etcd: EtcdProcess;
  let replicas: TestReplica[];

  before(async () => {
    etcd = await startBootstrappedEtcd();
    replicas = await Promise.all([startReplica(etcd.endpoint), startReplica(etcd.endpoint)]);
    const [first] = replicas as [TestReplica];
    await first.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'racing' } } });
    await first.call('POST', '/api/v1/namespaces/racing/serviceaccounts', { body: { metadata: { name: 'default' } } });
    await first.call('POST', QUOTAS, {
      body: { metadata: { name: 'q' }, spec: { hard: { pods: '50', services: '5' } } },
    });
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const status = { hard: { pods: '50', services: '5' }, used: { pods: '0', services: '0' } };
    await first.call('PATCH', `${QUOTAS}/q/status`, { headers, body: { status } });
  });

  after(async () => {
    for (const replica of replicas ?? []) await replica.stop();
    await etcd?.stop();
  });

  it('allows exactly as many pods as its limit, and reports the usage', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => replicas[i % 2]!.call('POST', PODS, { body: pod(`p${i}`) })),
    );
    const codes = new Map<number, number>();
    for (const { status } of answers) codes.set(status, (codes.get(status) ?? 0) + 1);
    assert.deepEqual([...codes].sort(), [
      [201, 50],
      [403, 150],
    ]);
    const refused = answers.find(({ status }) => status === 403)!;
    assert.match(refused.json.message, /exceeded quota: q, requested: pods=1, used: pods=50, limited: pods=50$/);
    for (const replica of replicas) {
      assert.equal((await replica.call('GET', PODS)).json.items.length, 50);
      assert.equal((await replica.call('GET', `${QUOTAS}/q`)).json.status.used.pods, '50');
    }
  });

  it('is not charged for a service that does not get its address', async () => {
    const [first] = replicas as [TestReplica];
    const service = (name: string) => ({
      body: { metadata: { name }, spec: { clusterIP: '10.0.0.77', ports: [{ port: 80 }] } },
    });
    const path = '/api/v1/namespaces/racing/services';
    assert.equal((await first.call('POST', path, service('a'))).status, 201);
    assert.equal((await first.call('POST', path, service('b'))).status, 422);
    assert.equal((await first.call('GET', `${QUOTAS}/q`)).json.status.used.services, '1');
  });
});
