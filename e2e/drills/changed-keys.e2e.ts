import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { EncryptionKeys } from '../encryption-keys.ts';
import { startReplica, temporaryPki } from '../replica.ts';
import { damageIn, storageTool } from '../storage-tool.ts';
import { MAPS } from './clients.ts';
import { DrillSystem } from './system.ts';

describe('drill: the encryption key is changed', function () {
  this.timeout(240_000);
  const pki = temporaryPki();
  const keys = new EncryptionKeys(pki, ['configmaps', 'secrets']);
  let system: DrillSystem;

  before(async () => {
    system = await DrillSystem.start({ pki, replicaFlags: keys.flags });
  });

  after(() => system?.stop());

  it('no request fails or waits', async () => {
    const { clients, cluster, replicas } = system;
    const tool = (...args: string[]) =>
      storageTool(...args, `--etcd-servers=${cluster.endpoints}`, `--encryption-provider-config=${keys.file}`);
    const encryptedWith = async () => {
      const { resources } = JSON.parse(await tool('status', '-o', 'json'));
      return Object.keys(resources.find((one: { resource: string }) => one.resource === 'core/configmaps').encryption);
    };
    while (clients.acknowledged.size < 20) await sleep(50);
    const before = JSON.parse((await replicas[0]!.request('GET', MAPS)).body).metadata.resourceVersion;
    assert.deepEqual(await encryptedWith(), ['orch:enc:aesgcm:v1:key1:']);
    clients.begin();
    // These are the steps of docs/encryption.md.
    keys.use(1, 2);
    await keys.inForce(replicas);
    keys.use(2, 1);
    await keys.inForce(replicas);
    await tool('migrate', '--rate=1000');
    assert.deepEqual(await encryptedWith(), ['orch:enc:aesgcm:v1:key2:']);
    const trial = `--encryption-provider-config=${keys.trial(2)}`;
    assert.deepEqual(await damageIn(`--etcd-servers=${cluster.endpoints}`, trial), [], 'nothing needs the old key');
    keys.use(2);
    await keys.inForce(replicas);
    await clients.recovered('another key encrypts');
    assert.deepEqual([...clients.writes.failures, ...clients.reads.failures, ...clients.violations], []);
    assert.equal(clients.relists, 0);
    assert.match(await tool('verify'), /, 0 findings/);

    // A replica that starts without the old key finds values with that key only in the history.
    const late = await startReplica(pki, cluster.endpoints, { flags: keys.flags });
    try {
      const list = await late.request('GET', MAPS);
      assert.equal(list.status, 200, list.body);
      const watch = await late.request('GET', `${MAPS}?watch=1&timeoutSeconds=1&resourceVersion=${before}`);
      const { type, object } = JSON.parse(watch.body.slice(0, watch.body.indexOf('\n')));
      assert.deepEqual([type, object.code], ['ERROR', 410], watch.body);
      const exact = await late.request('GET', `${MAPS}?resourceVersion=${before}&resourceVersionMatch=Exact`);
      assert.equal(exact.status, 410, exact.body);
    } finally {
      await late.stop();
    }
  });
});
