import assert from 'node:assert/strict';
import { coreV1 } from '#client/generated/resources.ts';
import { builtIn } from '#client/resource-type.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { ServiceCIDR } from '#schema/generated/networking.v1.ts';
import { aroundLaterManager } from '../testing/around-manager.ts';
import { serviceCidrControllerOf } from './service-cidr-controller.ts';

const networks = builtIn<ServiceCIDR>('networking', 'v1', 'servicecidrs', 'ServiceCIDR', false);

describe('service CIDR controller, with an API server', () => {
  const running = aroundLaterManager('1.37', [serviceCidrControllerOf(100)], '--use-service-account-credentials');

  it('sets a network ready, and keeps it while only this network contains a used address', async () => {
    const { client } = running;
    const resource = client.resource(networks);
    await resource.create({ metadata: { name: 'more' }, spec: { cidrs: ['10.99.0.0/28'] } });
    const condition = async () => (await resource.get('more')).status?.conditions?.find(({ type }) => type === 'Ready');
    await waitUntil('it is ready', async () => (await condition())?.status === 'True');
    assert.deepEqual((await resource.get('more')).metadata.finalizers, ['networking.orch.io/service-cidr-finalizer']);
    await client
      .resource(coreV1.services)
      .in('default')
      .create({ metadata: { name: 's' }, spec: { ports: [{ port: 80 }], clusterIP: '10.99.0.5' } });
    await resource.delete('more');
    await waitUntil('it says why it stays', async () => (await condition())?.reason === 'Terminating');
  });
});
