import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Etcd3 } from 'etcd3';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from './etcd-store.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

describe('leases', () => {
  let etcd: EtcdProcess;
  let client: Etcd3;
  let store: DataStore;

  before(async () => {
    etcd = await EtcdProcess.start();
    client = new Etcd3({ hosts: etcd.endpoint });
  });

  after(async () => {
    client.close();
    await etcd.stop();
  });

  afterEach(async () => {
    await store.close();
  });

  const value = Buffer.from('1');

  async function leaseOf(key: string): Promise<string> {
    const { kvs } = await client.kv.range({ key: Buffer.from(key) });
    return kvs[0]!.lease;
  }

  it('are shared by keys that are written within a short time with the same time to live', async () => {
    store = createEtcdStore({ endpoints: [etcd.endpoint] });
    await Promise.all(['a', 'b', 'c'].map((name) => store.create(`/registry/shared/${name}`, value, 3_600)));
    await store.create('/registry/shared/d', value, 1_800);
    const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map((name) => leaseOf(`/registry/shared/${name}`)));
    assert.notEqual(a, '0');
    assert.deepEqual([b, c], [a, a]);
    assert.notEqual(d, a);
  });

  it('last longer than the time to live by the length of the sharing window', async () => {
    store = createEtcdStore({ endpoints: [etcd.endpoint] });
    for (const [ttl, granted] of [
      [100, 105],
      [1_000, 1_050],
      [3_600, 3_660],
    ] as const) {
      await store.create(`/registry/window/${ttl}`, value, ttl);
      const { grantedTTL } = await client.leaseClient.leaseTimeToLive({ ID: await leaseOf(`/registry/window/${ttl}`) });
      assert.equal(Number(grantedTTL), granted);
    }
  });

  it('accept new keys only within the window', async () => {
    store = createEtcdStore({ endpoints: [etcd.endpoint], leases: { windowSeconds: 0.1 } });
    await store.create('/registry/late/a', value, 3_600);
    await sleep(120);
    await store.create('/registry/late/b', value, 3_600);
    assert.notEqual(await leaseOf('/registry/late/a'), await leaseOf('/registry/late/b'));
  });

  it('accept a limited number of keys', async () => {
    store = createEtcdStore({ endpoints: [etcd.endpoint], leases: { maxKeys: 2 } });
    const leases = new Set<string>();
    for (let i = 0; i < 6; i++) {
      await store.create(`/registry/many/${i}`, value, 3_600);
      leases.add(await leaseOf(`/registry/many/${i}`));
    }
    assert.equal(leases.size, 3);
  });

  it('are attached again by an update', async () => {
    store = createEtcdStore({ endpoints: [etcd.endpoint] });
    const created = await store.create('/registry/again', value, 3_600);
    assert.equal(created.outcome, 'written');
    await store.update('/registry/again', created.revision, value, 3_600);
    assert.notEqual(await leaseOf('/registry/again'), '0');
  });

  it('are replaced if another client has revoked them', async () => {
    store = createEtcdStore({ endpoints: [etcd.endpoint] });
    await store.create('/registry/revoked/a', value, 3_600);
    await client.leaseClient.leaseRevoke({ ID: await leaseOf('/registry/revoked/a') });
    assert.equal((await store.create('/registry/revoked/b', value, 3_600)).outcome, 'written');
    assert.notEqual(await leaseOf('/registry/revoked/b'), '0');
  });
});
