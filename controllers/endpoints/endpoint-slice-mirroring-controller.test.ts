import assert from 'node:assert/strict';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { coreV1, discoveryV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { Endpoints } from '#schema/generated/core.v1.ts';
import { garbageCollector } from '../garbage-collector/garbage-collector-controller.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { endpointSliceMirroringController } from './endpoint-slice-mirroring-controller.ts';

const namespace = 'e';
const SLICES = discoveryV1.endpointslices;
const subsets = [{ addresses: [{ ip: '1.1.1.1' }], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }];

for (const profile of namingProfiles)
  describe(`endpoint slice mirroring controller (${profile})`, () => {
    const naming = createNaming(profile);
    const skip = naming.key('endpointslice/skip-mirror');
    const leader = naming.key('control-plane.alpha/leader');
    const types = [coreV1.services, coreV1.endpoints, SLICES, coreV1.events];

    const rows: readonly [string, object | undefined, object, object, boolean][] = [
      ['a service without a selector', {}, {}, {}, true],
      ['a service with an empty selector', { selector: {} }, {}, {}, true],
      ['a service of type ExternalName', { type: 'ExternalName' }, {}, {}, true],
      ['no service', undefined, {}, {}, false],
      ['a service with a selector', { selector: { a: 'b' } }, {}, {}, false],
      ['a service whose endpoints have the label skip-mirror=true', {}, { [skip]: 'true' }, {}, false],
      ['a service whose endpoints have another value of the label skip-mirror', {}, { [skip]: 'True' }, {}, true],
      ['a service whose endpoints are used for leader election', {}, {}, { [leader]: '' }, false],
    ];
    for (const [what, spec, labels, annotations, shown] of rows)
      it(`${shown ? 'mirrors' : 'does not mirror'} endpoints of ${what}`, async () => {
        const server = new FakeServer(types, { strict: true, naming });
        if (spec !== undefined) server.put(coreV1.services, { metadata: { name: 's', namespace }, spec } as never);
        server.put(coreV1.endpoints, { metadata: { name: 's', namespace, labels, annotations }, subsets } as never);
        // The controller deletes slices that an earlier mistake created.
        const old = { [naming.key('service-name')]: 's', [naming.key('endpointslice/managed-by')]: 'another-manager' };
        server.put(SLICES, { metadata: { name: 'other', namespace, labels: old }, endpoints: [], ports: [] } as never);
        const keeper = naming.domain('endpointslicemirroring-controller');
        const mine = { ...old, [naming.key('endpointslice/managed-by')]: keeper };
        server.put(SLICES, {
          metadata: { name: 'mine', namespace, labels: mine },
          addressType: 'IPv4',
          endpoints: [],
          ports: [],
        } as never);
        const controller = await startController(endpointSliceMirroringController, server);
        const own = () => server.all(SLICES).filter(({ metadata }) => metadata.name !== 'other');
        const endpoints = () => own().map((slice) => slice.endpoints?.length);
        await waitUntil('it is so', () => JSON.stringify(endpoints()) === (shown ? '[1]' : '[]'));
        await controller.stop();
        assert.equal(server.all(SLICES).length, own().length + 1);
      });

    it('sets the labels of slices and the fields of their endpoints', async () => {
      const server = new FakeServer(types, { strict: true, naming });
      const trigger = naming.key('endpoints/last-change-trigger-time');
      const metadata = {
        name: 's',
        namespace,
        uid: 'u',
        labels: { a: 'b', [naming.key('service-name')]: 'another' },
        annotations: { c: 'd', [trigger]: '2026-01-01T00:00:00Z' },
      };
      server.put(coreV1.services, { metadata: { name: 's', namespace }, spec: {} } as never);
      server.put(coreV1.endpoints, { metadata, subsets } as never);
      const controller = await startController(endpointSliceMirroringController, server);
      await waitUntil('there is a slice', () => server.all(SLICES).length === 1);
      const [slice] = server.all(SLICES);
      assert.equal(slice!.metadata.generateName, 's-');
      assert.deepEqual(slice!.metadata.labels, {
        a: 'b',
        [naming.key('service-name')]: 's',
        [naming.key('endpointslice/managed-by')]: naming.domain('endpointslicemirroring-controller'),
      });
      assert.deepEqual(slice!.metadata.annotations, { c: 'd' });
      assert.deepEqual(slice!.metadata.ownerReferences, [
        { apiVersion: 'v1', kind: 'Endpoints', name: 's', uid: 'u', controller: true, blockOwnerDeletion: true },
      ]);
      server.put(coreV1.endpoints, { metadata: { ...metadata, labels: {}, annotations: {} }, subsets } as never);
      await waitUntil('it says the same', () => server.all(SLICES)[0]?.metadata.labels?.['a'] === undefined);
      assert.deepEqual(server.all(SLICES)[0]!.metadata.annotations ?? {}, {});
      assert.equal(server.all(SLICES)[0]!.metadata.generateName, undefined);
      const elsewhere = [{ ...subsets[0], ports: [{ name: 'http', port: 81, protocol: 'TCP' }] }];
      server.put(coreV1.endpoints, { metadata: { name: 's', namespace, uid: 'u' }, subsets: elsewhere } as never);
      await waitUntil('it becomes another', () => server.all(SLICES)[0]?.ports?.[0]?.port === 81);
      assert.equal(server.all(SLICES)[0]!.metadata.generateName, 's-');
      server.remove(SLICES, server.all(SLICES)[0]!.metadata.name!, namespace);
      await waitUntil('it is made again', () => server.all(SLICES).length === 1);
      server.remove(coreV1.endpoints, 's', namespace);
      await waitUntil('it has gone', () => server.all(SLICES).length === 0);
      await controller.stop();
    });

    it('records an event for addresses that it does not mirror', async () => {
      const server = new FakeServer(types, { strict: true, naming });
      const addresses = Array.from({ length: 1005 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }));
      server.put(coreV1.services, { metadata: { name: 's', namespace }, spec: {} } as never);
      const metadata = { name: 's', namespace };
      server.put(coreV1.endpoints, { metadata, subsets: [{ addresses }] } as Endpoints as never);
      const controller = await startController(endpointSliceMirroringController, server);
      await waitUntil('an event reports it', () => server.all(coreV1.events).length > 0);
      const [event] = server.all(coreV1.events);
      assert.equal(event!.reason, 'TooManyAddressesToMirror');
      assert.match(event!.message!, / 5 addresses were skipped$/);
      await waitUntil('the others are shown', () => server.all(SLICES)[0]?.endpoints?.length === 1000);
      await controller.stop();
    });
  });

describe('endpoint slice mirroring controller, with an API server', () => {
  const running = aroundManager(
    [garbageCollector, endpointSliceMirroringController],
    '--use-service-account-credentials',
  );

  it('mirrors endpoints that a user writes until they are deleted', async () => {
    const { client } = running;
    const slices = client.resource(SLICES).in('default');
    const ips = async () =>
      (await slices.list({ labelSelector: 'orch.io/service-name=s' })).items
        .flatMap(({ endpoints }) => endpoints ?? [])
        .flatMap(({ addresses }) => addresses ?? [])
        .join();
    const become = (wanted: string) => waitUntil(`slices with '${wanted}'`, async () => (await ips()) === wanted);
    await client
      .resource(coreV1.services)
      .in('default')
      .create({ metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    const endpoints = client.resource(coreV1.endpoints).in('default');
    await endpoints.create({ metadata: { name: 's' }, subsets });
    await become('1.1.1.1');
    const [made] = (await slices.list({ labelSelector: 'orch.io/service-name=s' })).items;
    assert.equal(made!.metadata.managedFields?.[0]?.manager, 'orch-controller-manager');
    const more = [{ ...subsets[0], addresses: [{ ip: '1.1.1.2' }, { ip: '1.1.1.3' }] }];
    await endpoints.patch('s', 'merge', { subsets: more });
    await become('1.1.1.2,1.1.1.3');
    await client.resource(coreV1.services).in('default').delete('s');
    await become('');
  });
});
