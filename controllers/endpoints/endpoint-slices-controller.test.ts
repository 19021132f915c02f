import assert from 'node:assert/strict';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { coreV1, discoveryV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { EndpointSlice } from '#schema/generated/discovery.v1.ts';
import { garbageCollector } from '../garbage-collector/garbage-collector-controller.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { endpointSlicesController } from './endpoint-slices-controller.ts';

const namespace = 'e';
const app = { app: 'web' };
const SLICES = discoveryV1.endpointslices;

/**
 * A slice as text: `IPv4 80: 10.0.0.1@n/z rs`. It has the ports, the addresses, the node and zone, and the letters of
 * the true conditions.
 */
function textOf({ addressType, endpoints, ports }: EndpointSlice): string {
  const all = (endpoints ?? []).map(({ addresses, conditions, nodeName, zone, hostname }) => {
    const { ready, serving, terminating } = conditions ?? {};
    const states = `${ready ? 'r' : ''}${serving ? 's' : ''}${terminating ? 't' : ''}`;
    return `${hostname ? `${hostname}=` : ''}${addresses}@${nodeName ?? ''}${zone ? `/${zone}` : ''} ${states}`.trim();
  });
  return `${addressType} ${(ports ?? []).map(({ port }) => port).join('+')}: ${all.sort().join(', ')}`.trim();
}

describe('endpoint slices controller', () => {
  for (const profile of namingProfiles)
    it(`writes the addresses and conditions of the pods of services (${profile})`, async () => {
      const naming = createNaming(profile);
      const types = [coreV1.services, coreV1.pods, coreV1.nodes, SLICES];
      const server = new FakeServer(types, { strict: true, naming });
      const pod = (
        name: string,
        ip: string | string[],
        more: { ready?: boolean; port?: number; node?: string } = {},
      ) => {
        const ips = [ip].flat();
        const { ready = true, port = 80, node: nodeName = 'n' } = more;
        const conditions = [
          { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' },
        ];
        server.put(coreV1.pods, {
          metadata: { name, namespace, labels: app, uid: name },
          spec: {
            nodeName,
            hostname: 'h',
            subdomain: 'both',
            containers: [{ ports: [{ name: 'http', containerPort: port }] }],
          },
          status: { phase: 'Running', podIP: ips[0], podIPs: ips.map((one) => ({ ip: one })), conditions },
        } as never);
      };
      const service = (name: string, spec: object, labels = {}) =>
        server.put(coreV1.services, { metadata: { name, namespace, uid: name, labels }, spec } as never);
      server.put(coreV1.nodes, { metadata: { name: 'n', labels: { [naming.key('topology/zone')]: 'z' } } } as never);
      pod('a', '10.0.0.1');
      pod('b', '10.0.0.2', { ready: false });
      pod('c', ['10.0.0.3', 'fd00::3'], { port: 81 });
      pod('d', '10.0.0.4', { node: 'unknown' });
      const http = [{ port: 8080, targetPort: 'http' }];
      service('web', { clusterIP: '10.96.0.1', selector: app, ports: http, ipFamilies: ['IPv4'] }, { l: 'v' });
      service('both', {
        clusterIP: 'None',
        selector: app,
        ports: [{ port: 5 }],
        ipFamilies: ['IPv4', 'IPv6'],
        publishNotReadyAddresses: true,
      });
      service('none', { ports: [{ port: 1 }] });
      service('elsewhere', { type: 'ExternalName', selector: app, ports: [{ port: 7 }], ipFamilies: ['IPv4'] });
      const foreign = {
        [naming.key('service-name')]: 'web',
        [naming.key('endpointslice/managed-by')]: naming.domain('endpointslice-controller'),
      };
      server.put(SLICES, { metadata: { name: 'foreign', namespace, labels: foreign }, addressType: 'FQDN' } as never);
      const controller = await startController(endpointSlicesController, server);
      const slices = (of: string) =>
        server.all(SLICES).filter(({ metadata }) => metadata.labels?.[naming.key('service-name')] === of);
      const become = async (of: string, ...wanted: string[]) => {
        const texts = () => slices(of).map(textOf).sort();
        await waitUntil(wanted.join(), () => JSON.stringify(texts()) === JSON.stringify(wanted)).catch(() =>
          assert.deepEqual(texts(), wanted),
        );
      };
      await become('web', 'IPv4 80: 10.0.0.1@n/z rs, 10.0.0.2@n/z', 'IPv4 81: 10.0.0.3@n/z rs');
      await become('elsewhere', 'IPv4 7: 10.0.0.1@n/z rs, 10.0.0.2@n/z, 10.0.0.3@n/z rs');
      await become(
        'both',
        'IPv4 5: h=10.0.0.1@n/z rs, h=10.0.0.2@n/z r, h=10.0.0.3@n/z rs, h=10.0.0.4@unknown rs',
        'IPv6 5: h=fd00::3@n/z rs',
      );
      const { labels, ownerReferences, annotations } = slices('both')[0]!.metadata;
      assert.deepEqual(labels, {
        [naming.key('service-name')]: 'both',
        [naming.key('service/headless')]: '',
        [naming.key('endpointslice/managed-by')]: naming.domain('endpointslice-controller'),
      });
      assert.equal(annotations?.[naming.key('endpoints/last-change-trigger-time')], '2026-01-01T00:00:00Z');
      assert.equal(slices('web')[0]!.metadata.labels?.['l'], 'v');
      assert.deepEqual(ownerReferences, [
        { apiVersion: 'v1', kind: 'Service', name: 'both', uid: 'both', controller: true, blockOwnerDeletion: true },
      ]);
      server.put(coreV1.nodes, { metadata: { name: 'unknown' } } as never);
      pod('b', '10.0.0.2');
      server.remove(coreV1.pods, 'c', namespace);
      await become('web', 'IPv4 80: 10.0.0.1@n/z rs, 10.0.0.2@n/z rs, 10.0.0.4@unknown rs');
      await become('both', 'IPv4 5: h=10.0.0.1@n/z rs, h=10.0.0.2@n/z rs, h=10.0.0.4@unknown rs', 'IPv6 :');
      service('both', { clusterIP: '10.96.0.2', selector: app, ports: [{ port: 5 }], ipFamilies: ['IPv4'] });
      await become('both', 'IPv4 5: h=10.0.0.1@n/z rs, h=10.0.0.2@n/z rs, h=10.0.0.4@unknown rs');
      await waitUntil(
        'the label is gone',
        () => !(naming.key('service/headless') in slices('both')[0]!.metadata.labels!),
      );
      await controller.stop();
      assert.equal(slices('none').length, 0);
    });
});

describe('endpoint slices controller, with an API server', () => {
  const running = aroundManager([garbageCollector, endpointSlicesController], '--use-service-account-credentials');

  it('follows a service until it is deleted', async () => {
    const { client } = running;
    const slices = client.resource(SLICES).in('default');
    const own = async () =>
      (await slices.list({ labelSelector: 'orch.io/service-name=web' })).items.map(textOf).join('; ');
    await client
      .resource(coreV1.serviceaccounts)
      .in('default')
      .create({ metadata: { name: 'default' } });
    await client.resource(coreV1.nodes).create({ metadata: { name: 'n' } });
    const pods = client.resource(coreV1.pods).in('default');
    await pods.create({
      metadata: { name: 'a', labels: app },
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
    } as never);
    const services = client.resource(coreV1.services).in('default');
    await services.create({ metadata: { name: 'web' }, spec: { selector: app, ports: [{ port: 80 }] } } as never);
    const become = (wanted: string) => waitUntil(wanted, async () => (await own()) === wanted);
    await become('IPv4 :');
    const status = {
      phase: 'Running',
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    await pods.patch('a', 'merge', { status }, { subresource: 'status' });
    await become('IPv4 80: 10.0.0.1@n rs');
    await pods.delete('a');
    await become('IPv4 80: 10.0.0.1@n st');
    await pods.delete('a', { gracePeriodSeconds: 0 });
    await become('IPv4 :');
    await services.delete('web');
    await become('');
  });
});
