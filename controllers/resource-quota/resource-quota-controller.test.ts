import assert from 'node:assert/strict';
import { apiextensionsV1, apiregistrationV1, coreV1 } from '#client/generated/resources.ts';
import type { ResourceType } from '#client/resource-type.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { type StartedController, startController } from '../testing/start-controller.ts';
import { resourceQuotaController } from './resource-quota-controller.ts';

const { configmaps, pods, resourcequotas, secrets, services, persistentvolumeclaims } = coreV1;
const gizmos: ResourceType = { group: 'example.com', version: 'v1', plural: 'gizmos', kind: 'Gizmo', namespaced: true };
const others = [apiextensionsV1.customresourcedefinitions, apiregistrationV1.apiservices];
type Hard = Readonly<Record<string, string>>;

describe('resource quota controller', () => {
  let server: FakeServer;
  let controller: StartedController | undefined;
  beforeEach(() => {
    const types = [configmaps, pods, resourcequotas, secrets, services, persistentvolumeclaims, gizmos, ...others];
    server = new FakeServer(types, { strict: true });
  });
  afterEach(async () => {
    await controller?.stop();
    controller = undefined;
  });

  const start = async () => {
    controller = await startController(resourceQuotaController, server);
  };
  const put = (type: ResourceType, name: string, more: object = {}, namespace = 'n') =>
    server.put(type, { ...more, metadata: { name, namespace } } as never);
  const quota = (hard: Hard, more: object = {}) => put(resourcequotas, 'q', { spec: { hard, ...more } });
  const used = (wanted: Hard) =>
    waitUntil(`${JSON.stringify(wanted)} is used`, () => {
      const { status } = server.get(resourcequotas, 'q', 'n')!;
      const all = Object.entries(wanted).every(([name, amount]) => status?.used?.[name] === amount);
      return all && Object.keys(status?.used ?? {}).length === Object.keys(wanted).length;
    });
  const pod = (cpu: string, spec: object = {}) => ({
    spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...spec },
    status: { phase: 'Running' },
  });

  it('counts the objects in its namespace', async () => {
    put(configmaps, 'a');
    put(configmaps, 'b');
    put(configmaps, 'a', {}, 'other');
    put(gizmos, 'g');
    put(services, 's', { spec: { type: 'NodePort', ports: [{ port: 1 }, { port: 2 }] } });
    quota({ configmaps: '4', 'count/secrets': '1', 'count/gizmos.example.com': '9', 'services.nodeports': '3' });
    await start();
    await used({ configmaps: '2', 'count/secrets': '0', 'count/gizmos.example.com': '1', 'services.nodeports': '2' });
    const { spec, status } = server.get(resourcequotas, 'q', 'n')!;
    assert.deepEqual(status!.hard, spec!.hard);
    assert.deepEqual(
      server.writes.map(({ what }) => what),
      ['PUT resourcequotas/n/q/status'],
    );
  });

  it('counts again after it starts, because earlier writes were not charged', async () => {
    quota({ configmaps: '4' });
    await start();
    await used({ configmaps: '0' });
    put(configmaps, 'unseen');
    await used({ configmaps: '1' });
  });

  it('frees the quota of deleted and finished objects', async () => {
    quota({ pods: '3', 'requests.cpu': '2', 'count/gizmos.example.com': '1' });
    put(pods, 'a', pod('400m'));
    put(pods, 'b', pod('1'));
    put(gizmos, 'g');
    await start();
    await used({ pods: '2', 'requests.cpu': '1400m', 'count/gizmos.example.com': '1' });
    put(pods, 'a', { ...pod('400m'), status: { phase: 'Succeeded' } });
    await used({ pods: '1', 'requests.cpu': '1', 'count/gizmos.example.com': '1' });
    server.remove(pods, 'b', 'n');
    server.remove(gizmos, 'g', 'n');
    await used({ pods: '0', 'requests.cpu': '0', 'count/gizmos.example.com': '0' });
  });

  it('counts only pods in all scopes', async () => {
    quota({ pods: '3' }, { scopes: ['Terminating', 'NotBestEffort'] });
    put(pods, 'a', pod('1', { activeDeadlineSeconds: 5 }));
    put(pods, 'b', pod('1'));
    put(pods, 'c', { spec: { containers: [{ name: 'c' }], activeDeadlineSeconds: 5 } });
    await start();
    await used({ pods: '1' });
  });

  it('updates the status when the limits change', async () => {
    quota({ secrets: '1' });
    put(secrets, 's');
    put(secrets, 't');
    await start();
    await used({ secrets: '2' });
    const { status } = server.get(resourcequotas, 'q', 'n')!;
    put(resourcequotas, 'q', { spec: { hard: { services: '1' } }, status });
    await used({ services: '0' });
  });
});

describe('resource quota controller, with an API server', () => {
  const running = aroundManager([resourceQuotaController]);

  it('reports the used amount and frees it when the object is deleted', async () => {
    const quotas = running.client.resource(resourcequotas).in('default');
    const held = running.client.resource(secrets).in('default');
    await held.create({ metadata: { name: 'a' } });
    await quotas.create({ metadata: { name: 'q', annotations: { kept: 'yes' } }, spec: { hard: { secrets: '5' } } });
    const used = (amount: string) =>
      waitUntil(`${amount} is used`, async () => (await quotas.get('q')).status?.used?.['secrets'] === amount);
    await used('1');
    await held.delete('a');
    await used('0');
    assert.deepEqual((await quotas.get('q')).metadata.annotations, { kept: 'yes' });
  });
});
