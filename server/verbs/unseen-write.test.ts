import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { CachedResource } from '../cache/cached-resource.ts';
import { aroundAll } from '../testing/around-all.ts';
import type { TestReplica } from '../testing/replica.ts';

const SERVICES = '/api/v1/namespaces/default/services';

describe('the answer to a write, before the cache of the replica contains the write', () => {
  let replica: TestReplica;

  aroundAll((started) => (replica = started));

  /** Runs a function while the cache gets no changes, and lets the cache catch up afterwards. */
  async function unseen<T>(work: () => Promise<T>): Promise<T> {
    const waiting: (() => void)[] = [];
    const apply = CachedResource.prototype.apply;
    const mocked = mock.method(
      CachedResource.prototype,
      'apply',
      function (this: CachedResource, ...change: Parameters<typeof apply>) {
        waiting.push(() => apply.apply(this, change));
      },
    );
    try {
      return await work();
    } finally {
      mocked.mock.restore();
      for (const change of waiting) change();
    }
  }

  it('contains the values that the server adds to a created object', async () => {
    const body = { metadata: { name: 'created' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } };
    const { status, json } = await unseen(() => replica.call('POST', SERVICES, { body }));
    assert.equal(status, 201, JSON.stringify(json));
    assert.ok(json.spec.clusterIP);
    assert.ok(json.spec.ports[0].nodePort > 0);
    assert.deepEqual((await replica.call('GET', `${SERVICES}/created`)).json, json);
  });

  for (const [what, method, type] of [
    ['an update', 'PUT', 'application/json'],
    ['a patch', 'PATCH', 'application/merge-patch+json'],
  ] as const) {
    it(`contains the values that the server adds in ${what}`, async () => {
      const name = method.toLowerCase();
      const spec = { ports: [{ port: 80 }] };
      const created = await replica.call('POST', SERVICES, { body: { metadata: { name }, spec } });
      assert.equal(created.status, 201, created.text);
      const body = { ...created.json, spec: { ...created.json.spec, type: 'NodePort' } };
      const headers = { 'Content-Type': type };
      const { status, json } = await unseen(() => replica.call(method, `${SERVICES}/${name}`, { body, headers }));
      assert.equal(status, 200, JSON.stringify(json));
      assert.ok(json.spec.ports[0].nodePort > 0, JSON.stringify(json.spec));
      assert.notEqual(json.metadata.resourceVersion, created.json.metadata.resourceVersion);
      assert.deepEqual((await replica.call('GET', `${SERVICES}/${name}`)).json, json);
    });
  }
});
