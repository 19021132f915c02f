import assert from 'node:assert/strict';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testNaming } from '../testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('create', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });

  it('reports that no name could be generated if the name is taken and generateName is set', async () => {
    const body = { metadata: { name: 'a', generateName: 'x-' } };
    assert.equal((await replica.call('POST', MAPS, { body })).status, 201);
    for (const query of ['', '?dryRun=All']) {
      const { status, headers, json } = await replica.call('POST', MAPS + query, { body });
      assert.equal(status, 409);
      assert.equal(headers['retry-after'], '1');
      assert.equal(json.reason, 'AlreadyExists');
      assert.deepEqual(json.details, { name: 'a', kind: 'configmaps', retryAfterSeconds: 1 });
      assert.equal(
        json.message,
        'configmaps "a" already exists, the server was not able to generate a unique name for the object',
      );
    }
    const { headers, json } = await replica.call('POST', MAPS, { body: { metadata: { name: 'a' } } });
    assert.deepEqual([json.message, headers['retry-after']], ['configmaps "a" already exists', undefined]);
  });

  const deletion = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 };
  const applied = { 'Content-Type': 'application/apply-patch+yaml' };
  for (const [how, method, path, kept, headers] of [
    ['posted', 'POST', '', {}, undefined],
    ['put', 'PUT', '/put', deletion, undefined],
    ['applied', 'PATCH', '/applied?fieldManager=m', deletion, applied],
  ] as const) {
    it(`${kept === deletion ? 'keeps' : 'drops'} the deletion timestamp of an object that is ${how}`, async () => {
      const leases = `/apis/${testNaming.apiVersion('coordination', 'v1')}/namespaces/default/leases`;
      const body = {
        apiVersion: testNaming.apiVersion('coordination', 'v1'),
        kind: 'Lease',
        metadata: { name: how, selfLink: '/x', ...deletion },
      };
      const { status, json } = await replica.call(method, leases + path, { body, ...(headers && { headers }) });
      assert.equal(status, 201, JSON.stringify(json));
      const { deletionTimestamp, deletionGracePeriodSeconds, selfLink } = json.metadata;
      assert.deepEqual(
        { deletionTimestamp, deletionGracePeriodSeconds, selfLink },
        {
          deletionTimestamp: undefined,
          deletionGracePeriodSeconds: undefined,
          selfLink: undefined,
          ...kept,
        },
      );
    });
  }

  it('refuses a Protobuf envelope without content', async () => {
    const headers = { 'Content-Type': testNaming.protobufMediaType };
    const { status, json } = await replica.call('POST', MAPS, { headers, raw: Buffer.from('k8s\0') });
    assert.equal(status, 400);
    assert.equal(
      json.message,
      'the object provided is unrecognized (must be of type ConfigMap): empty body (6b387300)',
    );
  });
});

describe('duplicate owner references', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });

  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
  const other = { ...owner, name: 'q' };
  const warning = (when: string) =>
    `299 - ".metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"`;
  const merge = { 'Content-Type': 'application/merge-patch+json' };
  const cases: [method: string, owners: object[], kept: object[], warning: string | undefined][] = [
    ['POST', [owner, other, owner], [owner, other], warning('')],
    ['PUT', [owner, owner], [owner], warning('')],
    ['PATCH', [other, other], [other], warning(' after mutating admission happens')],
    ['PATCH', [owner, other], [owner, other], undefined],
  ];
  for (const [method, ownerReferences, kept, warns] of cases) {
    it(`in a ${method} of ${JSON.stringify(ownerReferences.length)} owners are kept once, with a warning`, async () => {
      const path = method === 'POST' ? MAPS : `${MAPS}/owned`;
      const body = { metadata: { name: 'owned', ownerReferences } };
      const { json, headers } = await replica.call(method, path, {
        body,
        ...(method === 'PATCH' ? { headers: merge } : {}),
      });
      assert.deepEqual(json.metadata.ownerReferences, kept);
      assert.equal(headers['warning'], warns);
    });
  }
});
