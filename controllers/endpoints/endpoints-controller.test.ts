import assert from 'node:assert/strict';
import { ApiError, isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { endpointsController } from './endpoints-controller.ts';

const namespace = 'e';
const app = { app: 'web' };

describe('endpoints controller', () => {
  it('lists the addresses of the pods of services, ready and not ready', async () => {
    const server = new FakeServer([coreV1.services, coreV1.pods, coreV1.endpoints], { strict: true });
    const pod = (name: string, ip: string, ready = true, port = 80) =>
      server.put(coreV1.pods, {
        metadata: { name, namespace, labels: app, uid: name },
        spec: { nodeName: 'n', containers: [{ name: 'c', ports: [{ name: 'http', containerPort: port }] }] },
        status: { phase: 'Running', podIP: ip, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
      } as never);
    const service = (name: string, spec: object) =>
      server.put(coreV1.services, { metadata: { name, namespace }, spec } as never);
    pod('b', '10.0.0.2');
    pod('a', '10.0.0.1');
    pod('c', '10.0.0.3', false);
    pod('d', '10.0.0.4', true, 81);
    service('web', { selector: app, ports: [{ port: 8080, targetPort: 'http' }] });
    service('none', { ports: [{ port: 1 }] });
    const controller = await startController(endpointsController, server);
    const subsets = () =>
      server
        .get(coreV1.endpoints, 'web', namespace)
        ?.subsets?.map(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
          [addresses.map(({ ip }) => ip), notReadyAddresses.map(({ ip }) => ip), ports[0]?.port].join(' '),
        );
    const become = (...wanted: string[]) =>
      waitUntil(wanted.join(), () => JSON.stringify(subsets()) === JSON.stringify(wanted));
    await become('10.0.0.1,10.0.0.2 10.0.0.3 80', '10.0.0.4  81');
    // Changes by other clients are kept until the service or its pods change.
    server.put(coreV1.endpoints, { ...server.get(coreV1.endpoints, 'web', namespace)!, subsets: [] });
    server.put(coreV1.services, { metadata: { name: 'other', namespace }, spec: { selector: app } } as never);
    await waitUntil('others are written', () => server.get(coreV1.endpoints, 'other', namespace) !== undefined);
    assert.deepEqual(subsets(), []);
    pod('c', '10.0.0.3');
    server.remove(coreV1.pods, 'd', namespace);
    await become('10.0.0.1,10.0.0.2,10.0.0.3  80');
    server.remove(coreV1.services, 'web', namespace);
    await waitUntil('they are gone', () => server.get(coreV1.endpoints, 'web', namespace) === undefined);
    await controller.stop();
    assert.ok(server.writes.every(({ what }) => !what.includes('none')));
  });
});

describe('endpoints that exist on the server but not yet in the informer', () => {
  it('are updated when the informer has them', async () => {
    const server = new FakeServer([coreV1.services, coreV1.pods, coreV1.endpoints], { strict: true });
    let refused = 0;
    server.handle(({ method }, path) => {
      if (method !== 'POST' || !path.includes('endpoints') || refused++ > 0) return undefined;
      throw new ApiError(409, { code: 409, reason: 'AlreadyExists', message: 'already there' });
    });
    server.put(coreV1.services, { metadata: { name: 'web', namespace }, spec: { selector: app } } as never);
    const controller = await startController(endpointsController, server);
    await waitUntil('they are there', () => server.get(coreV1.endpoints, 'web', namespace) !== undefined);
    await controller.stop();
    assert.equal(refused, 2);
  });
});

describe('endpoints controller, with an API server', () => {
  const running = aroundManager([endpointsController], '--use-service-account-credentials');

  it('follows a service', async () => {
    const { client } = running;
    const services = client.resource(coreV1.services).in('default');
    const endpoints = client.resource(coreV1.endpoints).in('default');
    await client
      .resource(coreV1.serviceaccounts)
      .in('default')
      .create({ metadata: { name: 'default' } });
    const pods = client.resource(coreV1.pods).in('default');
    await pods.create({
      metadata: { name: 'a', labels: app },
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
    } as never);
    await services.create({ metadata: { name: 'web' }, spec: { selector: app, ports: [{ port: 80 }] } } as never);
    await waitUntil('they are there', () => endpoints.get('web').catch(() => undefined));
    const status = { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'Ready', status: 'True' }] };
    await pods.patch('a', 'merge', { status }, { subresource: 'status' });
    await waitUntil('the pod is there', async () => {
      const found = (await endpoints.get('web')).subsets?.[0];
      return found?.addresses?.[0]?.ip === '10.0.0.1' && found.ports?.[0]?.port === 80;
    });
    await services.delete('web');
    await waitUntil('they are gone', () => endpoints.get('web').then(() => false, isNotFound));
  });
});
