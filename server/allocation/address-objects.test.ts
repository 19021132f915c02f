import assert from 'node:assert/strict';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testNaming } from '../testing/replica.ts';

describe('IPAddress and ServiceCIDR objects, in a release that has them', () => {
  let replica: TestReplica;
  aroundAll(
    (started) => {
      replica = started;
    },
    '--emulated-version=1.37',
    '--service-cluster-ip-range=10.0.0.0/24',
  );

  const group = `/apis/${testNaming.apiVersion('networking', 'v1')}`;
  const addresses = `${group}/ipaddresses`;
  const services = '/api/v1/namespaces/default/services';
  const spec = { ports: [{ port: 80 }], clusterIP: '10.0.0.77' };

  it('a ServiceCIDR of the flag is Ready', async () => {
    const { json } = await replica.call('GET', `${group}/servicecidrs/${testNaming.product}`);
    assert.deepEqual(json.spec, { cidrs: ['10.0.0.0/24'] });
    assert.deepEqual(
      json.status.conditions.map(({ type, status }: Record<string, string>) => [type, status]),
      [['Ready', 'True']],
    );
  });

  it('an IPAddress exists for the service of the API server', async () => {
    const { json } = await replica.call('GET', `${addresses}/10.0.0.1`);
    assert.deepEqual(json.spec.parentRef, { resource: 'services', namespace: 'default', name: testNaming.product });
  });

  it('an IPAddress is created and deleted with its service', async () => {
    assert.equal((await replica.call('POST', services, { body: { metadata: { name: 'a' }, spec } })).status, 201);
    const { json } = await replica.call('GET', `${addresses}/10.0.0.77`);
    const { uid, creationTimestamp, resourceVersion, ...metadata } = json.metadata;
    assert.match(`${uid} ${creationTimestamp} ${resourceVersion}`, /^[0-9a-f-]{36} \d{4}-\S{5}T\S{8}Z \d+$/);
    const labels = {
      [testNaming.key('ipaddress/ip-family')]: 'IPv4',
      [testNaming.key('ipaddress/managed-by')]: testNaming.domain('ipallocator'),
    };
    assert.deepEqual(
      { ...json, metadata },
      {
        kind: 'IPAddress',
        apiVersion: testNaming.apiVersion('networking', 'v1'),
        metadata: { name: '10.0.0.77', labels },
        spec: { parentRef: { resource: 'services', namespace: 'default', name: 'a' } },
      },
    );
    const again = { metadata: { name: '10.0.0.77' }, spec: { parentRef: { resource: 'x', name: 'y' } } };
    assert.equal((await replica.call('POST', addresses, { body: again })).status, 409);
    assert.equal((await replica.call('DELETE', `${services}/a`)).status, 200);
    assert.equal((await replica.call('GET', `${addresses}/10.0.0.77`)).status, 404);
    assert.equal((await replica.call('POST', addresses, { body: again })).status, 201);
    const refused = await replica.call('POST', services, { body: { metadata: { name: 'b' }, spec } });
    assert.equal(refused.status, 422);
    assert.match(refused.json.message, /provided IP is already allocated/);
  });

  it('a ServiceCIDR of a client provides addresses while it is Ready, except its first and last one', async () => {
    const cidrs = `${group}/servicecidrs`;
    const cidr = { metadata: { name: 'more' }, spec: { cidrs: ['10.99.0.0/28'] } };
    assert.equal((await replica.call('POST', cidrs, { body: cidr })).status, 201);
    const create = async (name: string, clusterIP: string) => {
      const body = { metadata: { name }, spec: { ports: [{ port: 80 }], clusterIP } };
      return (await replica.call('POST', services, { body })).status;
    };
    const setReady = async (status: string) => {
      const condition = { type: 'Ready', status, reason: 'r', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' };
      const headers = { 'Content-Type': 'application/merge-patch+json' };
      const body = { status: { conditions: [condition] } };
      assert.equal((await replica.call('PATCH', `${cidrs}/more/status`, { headers, body })).status, 200);
    };
    assert.equal(await create('c1', '10.99.0.5'), 422);
    await setReady('True');
    assert.equal(await create('c1', '10.99.0.5'), 201);
    for (const ip of ['10.99.0.0', '10.99.0.15', '10.99.1.5']) assert.equal(await create('c2', ip), 422);
    await setReady('False');
    assert.equal(await create('c2', '10.99.0.6'), 422);
    // An object that has an address keeps it.
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const body = { metadata: { labels: { a: 'b' } } };
    assert.equal((await replica.call('PATCH', `${services}/c1`, { headers, body })).status, 200);
  });
});
