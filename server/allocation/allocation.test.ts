import assert from 'node:assert/strict';
import { StatusError } from '#base/errors/status-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { claimValue } from '#schema/claims/claim.ts';
import type { Service } from '#schema/generated/core.v1.ts';
import type { IPAddress } from '#schema/generated/networking.v1.ts';
import type { DataStore } from '#storage/data-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { PREFIX, ServiceReplica, serviceKey } from '../kinds/core/service/testing/service-replica.ts';
import { addressMetrics } from '../observability/address-metrics.ts';
import { AddressObjects } from './address-objects.ts';
import { repairClaims } from './repair.ts';

const log = { info: () => undefined, warn: () => undefined };
const external = { type: 'NodePort', ports: [{ port: 80 }] };

describe('allocation of cluster IPs and node ports on etcd', () => {
  let etcd: EtcdProcess;
  let stores: DataStore[];

  before(async () => {
    etcd = await EtcdProcess.start();
  });

  beforeEach(async () => {
    // A thousand calls at once take a long time on a busy machine.
    const patient = { readTimeoutMs: 20_000, writeTimeoutMs: 20_000 };
    stores = [1, 2].map(() => createEtcdStore({ endpoints: [etcd.endpoint], ...patient }));
    for (const { key, revision } of (await stores[0]!.list(`${PREFIX}/`, {})).items) {
      await stores[0]!.remove(key, revision);
    }
  });

  afterEach(async () => {
    for (const store of stores) await store.close();
  });

  after(() => etcd.stop());

  it('gives 200 concurrent services on two replicas 200 different addresses and ports', async () => {
    const options = { clusterIpRanges: ['10.0.0.0/22'] };
    const replicas = stores.map((store) => new ServiceReplica(store, options));
    const services = await Promise.all(
      Array.from({ length: 200 }, (_, i) => replicas[i % 2]!.create(`s-${i}`, external)),
    );
    assert.equal(new Set(services.map((service) => service.spec!.clusterIP)).size, 200);
    assert.equal(new Set(services.map((service) => service.spec!.ports![0]!.nodePort)).size, 200);
    assert.equal((await replicas[0]!.claims()).length, 400);
  });

  it('counts dynamic and static allocations, and the addresses in use', async () => {
    const metrics = new MetricSet();
    const replica = new ServiceReplica(stores[0]!, { clusterIpRanges: ['10.0.0.0/22'] });
    addressMetrics(metrics, replica.ranges);
    const ports = [{ port: 80 }];
    for (const [name, clusterIP] of [
      ['a', ''],
      ['b', ''],
      ['c', '10.0.0.9'],
      ['d', 'None'],
    ] as const)
      await replica.create(name, { ports, ...(clusterIP === '' ? {} : { clusterIP }) });
    replica.ranges.countHeld((await repairClaims({ store: stores[0]!, etcdPrefix: PREFIX, log })).addresses);
    assert.deepEqual(
      metrics.values().map(({ family, series }) => [family.name.replace(/.*allocator_/, ''), series]),
      [
        ['allocated_ips', [[['10.0.0.0/22'], [3]]]],
        [
          'allocation_total',
          [
            [['10.0.0.0/22', 'dynamic'], [2]],
            [['10.0.0.0/22', 'static'], [1]],
          ],
        ],
        ['available_ips', [[['10.0.0.0/22'], [1019]]]],
      ],
    );
  });

  it('gives an address to only one of many services that request it', async () => {
    const replicas = stores.map((store) => new ServiceReplica(store));
    const spec = { ports: [{ port: 80 }], clusterIP: '10.0.0.9' };
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => replicas[i % 2]!.create(`s-${i}`, spec)),
    );
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
  });

  it('allocates all addresses of a range, and then reports that the range is full', async () => {
    const replicas = stores.map((store) => new ServiceReplica(store, { clusterIpRanges: ['10.0.0.0/27'] }));
    const spec = { ports: [{ port: 80 }] };
    const services = await Promise.all(Array.from({ length: 30 }, (_, i) => replicas[i % 2]!.create(`s-${i}`, spec)));
    assert.equal(new Set(services.map((service) => service.spec!.clusterIP)).size, 30);
    await assert.rejects(replicas[0]!.create('more', spec), (error: unknown) => {
      assert.ok(error instanceof StatusError);
      assert.match(error.message, /failed to allocate a serviceIP: range is full/);
      return true;
    });
    await replicas[1]!.remove('s-7');
    assert.equal((await replicas[0]!.create('more', spec)).spec!.clusterIP, services[7]!.spec!.clusterIP);
  });

  it('repairs claims that were written by hand, and does not change correct claims', async () => {
    const [store] = stores as [DataStore];
    const replica = new ServiceReplica(store);
    const kept = await replica.create('kept', external);
    const lost = await replica.create('lost', { ports: [{ port: 80 }], clusterIP: '10.0.0.5' });
    const claims = (await replica.claims()).sort();
    const addresses = [kept.spec!.clusterIP!, '10.0.0.5'].sort();
    const repair = () => repairClaims({ store, etcdPrefix: PREFIX, log });
    assert.deepEqual(await repair(), { freed: 0, claimed: 0, disputed: 0, addresses });

    const claim = `${PREFIX}/claims/cluster-ips/10.0.0.5`;
    await store.remove(claim, (await store.get(claim))!.revision);
    const gone = claimValue({ namespace: 'ns', name: 'gone', uid: 'u' });
    await store.create(`${PREFIX}/claims/cluster-ips/10.0.0.6`, gone);
    await store.create(`${PREFIX}/claims/node-ports/30000`, Buffer.from('?'));
    const earlier = claimValue({ namespace: 'ns', name: 'kept', uid: 'of an earlier service' });
    await store.create(`${PREFIX}/claims/cluster-ips/10.0.0.7`, earlier);
    const copy: Service = { ...kept, metadata: { ...kept.metadata, name: 'copy', uid: 'copy' } };
    await store.create(serviceKey('copy'), Buffer.from(JSON.stringify(copy)));
    const { addresses: held, ...repaired } = await repair();
    assert.deepEqual(repaired, { freed: 3, claimed: 1, disputed: 2 });
    assert.deepEqual([...held].sort(), addresses);
    assert.deepEqual((await replica.claims()).sort(), claims);
    assert.equal(lost.spec!.clusterIP, '10.0.0.5');
  });

  it('repairs each fault once if several replicas repair while services are created and deleted', async () => {
    const replicas = stores.map((store) => new ServiceReplica(store));
    for (let i = 0; i < 20; i++) {
      await stores[0]!.create(`${PREFIX}/claims/node-ports/${31000 + i}`, Buffer.from('{}'));
    }
    const comeAndGo = async (replica: ServiceReplica, name: string) => {
      for (let i = 0; i < 10; i++) {
        await replica.create(name, external);
        await replica.remove(name);
      }
      await replica.create(name, external);
    };
    const passes = stores.map((store) => repairClaims({ store, etcdPrefix: PREFIX, log }));
    await Promise.all([...replicas.map((replica, i) => comeAndGo(replica, `s-${i}`)), ...passes]);
    const freed = (await Promise.all(passes)).reduce((sum, pass) => sum + pass.freed, 0);
    assert.equal(freed, 20);
    assert.equal((await replicas[0]!.claims()).length, 4);
  });

  describe('in releases with IPAddress objects', () => {
    const naming = createNaming('orch');
    const objects = new AddressObjects(PREFIX, naming);
    const ports = [{ port: 80 }];
    const shownBy = async (store: DataStore) =>
      (await store.list(objects.prefix, {})).items.map(({ key, value }) => {
        const { spec } = JSON.parse(value.toString()) as IPAddress;
        return `${key.slice(objects.prefix.length)} ${spec.parentRef?.name}`;
      });
    const byHand = (address: string) =>
      stores[0]!.create(
        objects.prefix + address,
        Buffer.from(JSON.stringify({ metadata: { name: address }, spec: { parentRef: { resource: 'x', name: 'y' } } })),
      );

    it('writes and removes them with the addresses', async () => {
      const [store] = stores as [DataStore];
      const replica = new ServiceReplica(store, { showsAddresses: true });
      await replica.create('a', { ports, clusterIP: '10.0.0.5' });
      await replica.create('b', { ports, clusterIP: 'None' });
      assert.deepEqual(await shownBy(store), ['10.0.0.5 a']);
      await replica.remove('a');
      assert.deepEqual(await shownBy(store), []);
      assert.deepEqual(await replica.claims(), []);
    });

    it('gives no service an address for which a client created an IPAddress', async () => {
      const replica = new ServiceReplica(stores[0]!, { showsAddresses: true, clusterIpRanges: ['10.0.0.0/29'] });
      for (const last of [1, 2, 3, 4, 5]) await byHand(`10.0.0.${last}`);
      await assert.rejects(replica.create('a', { ports, clusterIP: '10.0.0.5' }), /provided IP is already allocated/);
      assert.equal((await replica.create('b', { ports })).spec!.clusterIP, '10.0.0.6');
      await assert.rejects(replica.create('c', { ports }), /range is full/);
    });

    it('gives no address twice next to a replica of an earlier release, and repairs the IPAddress objects', async () => {
      const [store, other] = stores as [DataStore, DataStore];
      const later = new ServiceReplica(store, { showsAddresses: true, clusterIpRanges: ['10.0.0.0/26'] });
      const earlier = new ServiceReplica(other, { clusterIpRanges: ['10.0.0.0/26'] });
      const made = await Promise.all(
        Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? later : earlier).create(`s-${i}`, { ports })),
      );
      assert.equal(new Set(made.map(({ spec }) => spec!.clusterIP)).size, 40);
      for (let i = 0; i < 10; i++) await earlier.remove(`s-${i}`);
      const repair = () => repairClaims({ store, etcdPrefix: PREFIX, log, objects });
      const { freed, claimed, disputed } = await repair();
      // The later release made five that the earlier one removed, and the earlier one made fifteen.
      assert.deepEqual({ freed, claimed, disputed }, { freed: 5, claimed: 15, disputed: 0 });
      const held = made.slice(10).map(({ metadata, spec }) => `${spec!.clusterIP} ${metadata.name}`);
      assert.deepEqual((await shownBy(store)).sort(), held.sort());
      assert.deepEqual({ ...(await repair()), addresses: [] }, { freed: 0, claimed: 0, disputed: 0, addresses: [] });
    });

    it('reports an IPAddress of a client that uses the address of a service', async () => {
      const [store] = stores as [DataStore];
      await new ServiceReplica(store).create('a', { ports, clusterIP: '10.0.0.5' });
      await byHand('10.0.0.5');
      assert.equal((await repairClaims({ store, etcdPrefix: PREFIX, log, objects })).disputed, 1);
      assert.deepEqual(await shownBy(store), ['10.0.0.5 y']);
    });
  });
});
