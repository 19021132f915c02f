import assert from 'node:assert/strict';
import { aroundAll } from '#server/testing/around-all.ts';
import type { TestReplica } from '#server/testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('a write that resets managedFields and changes another field', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });

  const [merge, strategic, json] = ['merge-patch', 'strategic-merge-patch', 'json-patch'].map(
    (type) => `application/${type}+json`,
  );
  const managedFields = [{}];
  const replace = { op: 'replace', path: '/metadata/managedFields', value: managedFields };
  const patched = { metadata: { managedFields }, data: { y: '1' } };
  const forms: readonly [what: string, method: string, type: string, body: (name: string) => unknown][] = [
    [
      'PUT',
      'PUT',
      'application/json',
      (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, managedFields }, data: { x: '1', y: '1' } }),
    ],
    ['merge patch', 'PATCH', merge!, () => patched],
    ['strategic merge patch', 'PATCH', strategic!, () => patched],
    ['JSON patch', 'PATCH', json!, () => [replace, { op: 'add', path: '/data/y', value: '1' }]],
  ];
  for (const [what, method, type, body] of forms)
    it(`records the writer as the owner of the change: ${what}`, async () => {
      const name = what.toLowerCase().replaceAll(' ', '-');
      const target = `${MAPS}/${name}?fieldManager=b`;
      await replica.call('POST', `${MAPS}?fieldManager=a`, { body: { metadata: { name }, data: { x: '1' } } });
      const answer = await replica.call(method, target, { headers: { 'Content-Type': type }, body: body(name) });
      assert.equal(answer.status, 200, answer.text);
      const owners = answer.json.metadata.managedFields.map((entry: { manager: string; fieldsV1: object }) => [
        entry.manager,
        entry.fieldsV1,
      ]);
      assert.deepEqual(owners, [['b', { 'f:data': { 'f:y': {} } }]]);
      const headers = { 'Content-Type': merge! };
      const alone = await replica.call('PATCH', target, { headers, body: { metadata: { managedFields } } });
      assert.equal(alone.json.metadata.managedFields, undefined, 'a reset alone leaves none');
    });
});
