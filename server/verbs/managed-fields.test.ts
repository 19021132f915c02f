import assert from 'node:assert/strict';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testNaming } from '../testing/replica.ts';

const ROLES = `/apis/${testNaming.apiVersion('rbac.authorization', 'v1')}/namespaces/default/roles`;
const CSI_NODES = `/apis/${testNaming.apiVersion('storage', 'v1')}/csinodes`;
const MAPS = '/api/v1/namespaces/default/configmaps';

describe('managed fields', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });

  // An empty list in a field that is always written differs from a missing list.
  const cases: [about: string, path: string, content: object, fields: object | undefined][] = [
    ['an empty list', ROLES, { rules: [] }, { 'f:rules': {} }],
    ['no list', ROLES, {}, undefined],
    ['null', ROLES, { rules: null }, undefined],
    ['an empty list of items with keys', CSI_NODES, { spec: { drivers: [] } }, { 'f:spec': { 'f:drivers': {} } }],
    ['an empty optional map', MAPS, { data: {} }, undefined],
  ];
  for (const [about, path, content, fields] of cases) {
    it(`of a created object contain the right fields for ${about}`, async () => {
      const { status, json } = await replica.call('POST', `${path}?dryRun=All`, {
        body: { metadata: { name: 'a' }, ...content },
      });
      assert.equal(status, 201);
      assert.deepEqual(json.metadata.managedFields?.[0]?.fieldsV1, fields);
    });
  }

  it('are not written again if the same manager repeats a write', async () => {
    const body = { metadata: { name: 'a' }, rules: [] };
    const created = await replica.call('POST', ROLES, { body });
    const updated = await replica.call('PUT', `${ROLES}/a`, { body });
    assert.equal(updated.status, 200);
    assert.equal(updated.json.metadata.resourceVersion, created.json.metadata.resourceVersion);
    assert.equal(updated.json.rules, null);
  });

  it('are stored as a client edits them', async () => {
    await replica.call('POST', MAPS, { body: { metadata: { name: 'm' }, data: { x: '1', y: '2' } } });
    const fieldsV1 = { 'f:data': { 'f:x': {} } };
    const entry = { manager: 'e', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 };
    const { json } = await replica.call('PATCH', `${MAPS}/m`, {
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: { metadata: { managedFields: [entry] } },
    });
    assert.deepEqual(json.metadata.managedFields, [entry]);
  });

  it('of one group are not assigned to a manager that writes through another group of the same objects', async () => {
    const strict = testNaming.apiVersion('events', 'v1');
    const [core, events] = ['/api/v1', `/apis/${strict}`].map((root) => `${root}/namespaces/default/events`);
    const involvedObject = { kind: 'Pod', name: 'p', namespace: 'default' };
    const body = { metadata: { name: 'e' }, involvedObject, reason: 'R', count: 2 };
    const created = await replica.call('POST', `${core}?fieldManager=m`, { body });
    assert.equal(created.status, 201, JSON.stringify(created.json));
    const { status, json } = await replica.call('PATCH', `${events}/e?fieldManager=u`, {
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: { series: { count: 8, lastObservedTime: '2026-01-01T00:00:00.000000Z' } },
    });
    assert.equal(status, 200, JSON.stringify(json));
    const managers = json.metadata.managedFields.map(({ manager, apiVersion }: Record<string, string>) => [
      manager,
      apiVersion,
    ]);
    assert.deepEqual(managers, [['u', strict]]);
  });
});
