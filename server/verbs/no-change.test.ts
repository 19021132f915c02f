import assert from 'node:assert/strict';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testNaming } from '../testing/replica.ts';

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const MAPS = '/api/v1/namespaces/default/configmaps';
const RBAC = testNaming.apiVersion('rbac.authorization', 'v1');
const ROLES = `/apis/${RBAC}/namespaces/default/roles`;
const QUOTAS = '/api/v1/namespaces/default/resourcequotas';

describe('a write that is sent twice', () => {
  let replica: TestReplica;
  const write = async (method: string, path: string, type: string, body: object) => {
    const { status, json, text } = await replica.call(method, path, { headers: { 'Content-Type': type }, body });
    assert.ok(status < 300, text);
    return json;
  };
  const role = { apiVersion: RBAC, kind: 'Role', metadata: { name: 'r' } };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' } };

  aroundAll((started) => {
    replica = started;
  });

  // A request that is sent twice, with more than a second between, and whether the second one writes.
  const cases: [name: string, path: string, type: string, body: object, writes: boolean][] = [
    ['an apply', MAPS, APPLY, { ...map, data: { a: '1' } }, false],
    ['an apply of an empty list', ROLES, APPLY, { ...role, rules: [] }, true],
    ['an apply of an empty map', MAPS, APPLY, { ...map, metadata: { name: 'e' }, data: {} }, true],
    ['an apply in another spelling', QUOTAS, APPLY, { ...quota, spec: { hard: { cpu: '3000m' } } }, false],
    ['a patch', MAPS, MERGE, { ...map, data: { a: '2' } }, false],
    ['a patch with an empty map', MAPS, MERGE, { ...map, binaryData: {} }, false],
    ['a patch in canonical spelling', QUOTAS, MERGE, { ...quota, spec: { hard: { cpu: '2' } } }, false],
    ['a patch in another spelling', QUOTAS, MERGE, { ...quota, spec: { hard: { cpu: '2000m' } } }, true],
  ];
  for (const [what, path, type, body, writes] of cases) {
    it(`${writes ? 'creates' : 'does not create'} a new resource version by ${what}`, async () => {
      const { name } = (body as typeof map).metadata;
      await write('PATCH', `${path}/${name}?fieldManager=m`, APPLY, {
        apiVersion: (body as typeof map).apiVersion,
        kind: (body as typeof map).kind,
        metadata: { name },
        ...(path === ROLES ? { rules: [] } : {}),
      });
      const first = await write('PATCH', `${path}/${name}?fieldManager=m`, type, body);
      await new Promise((resolve) => setTimeout(resolve, 1100));
      const second = await write('PATCH', `${path}/${name}?fieldManager=m`, type, body);
      const versions = [first, second].map(({ metadata }) => metadata.resourceVersion);
      assert.equal(versions[0] !== versions[1], writes);
      const meta = { resourceVersion: '', managedFields: [] };
      const bare = [first, second].map((one) => ({ ...one, metadata: { ...one.metadata, ...meta } }));
      assert.deepEqual(bare[1], bare[0]);
    });
  }
});
