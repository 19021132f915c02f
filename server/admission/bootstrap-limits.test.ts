import assert from 'node:assert/strict';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { startReplica, type TestReplica } from '../testing/replica.ts';

const LIMITS = '/api/v1/namespaces/default/limitranges/limits';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const PODS = '/api/v1/namespaces/default/pods?dryRun=All';
const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };

describe('the default LimitRange', () => {
  let etcd: EtcdProcess;

  before(async () => {
    etcd = await EtcdProcess.start();
  });

  after(() => etcd?.stop());

  async function withReplica(use: (replica: TestReplica) => Promise<void>): Promise<void> {
    const replica = await startReplica(etcd.endpoint);
    try {
      await use(replica);
    } finally {
      await replica.stop();
    }
  }

  it('sets a CPU request of 100m for pods in namespace default, until an administrator deletes it', async () => {
    const requests = async (replica: TestReplica): Promise<unknown> => {
      const { json } = await replica.call('POST', PODS, { body: pod });
      return json.spec.containers[0].resources.requests;
    };
    await withReplica(async (replica) => {
      await replica.call('POST', ACCOUNTS, { body: { metadata: { name: 'default' } } });
      assert.deepEqual((await replica.call('GET', LIMITS)).json.spec, {
        limits: [{ type: 'Container', defaultRequest: { cpu: '100m' } }],
      });
      assert.deepEqual(await requests(replica), { cpu: '100m' });
    });
    await withReplica(async (replica) => {
      assert.equal((await replica.call('GET', LIMITS)).status, 200);
      assert.equal((await replica.call('DELETE', LIMITS)).status, 200);
      assert.equal(await requests(replica), undefined);
    });
    await withReplica(async (replica) => assert.equal((await replica.call('GET', LIMITS)).status, 404));
  });
});
