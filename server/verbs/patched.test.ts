import assert from 'node:assert/strict';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testNaming } from '../testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const CONFIDENTIAL = 'hunter2';
const COORDINATION = testNaming.apiVersion('coordination', 'v1');
const LEASES = `/apis/${COORDINATION}/namespaces/default/leases`;
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

describe('the result of a patch', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });

  before(async () => {
    const labels = { app: 'd' };
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const made: [string, object][] = [
      [MAPS, { data: { x: '1' } }],
      [SECRETS, { stringData: { x: CONFIDENTIAL } }],
      [LEASES, {}],
      [DEPLOYMENTS, { spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } } }],
    ];
    for (const [path, content] of made) {
      const { status, text } = await replica.call('POST', path, { body: { metadata: { name: 'a' }, ...content } });
      assert.equal(status, 201, text);
    }
  });

  const MERGE = 'merge-patch+json';
  const STRATEGIC = 'strategic-merge-patch+json';
  const JSON_PATCH = 'json-patch+json';
  const map = `${MAPS}/a`;
  const secret = `${SECRETS}/a`;
  const scale = `${DEPLOYMENTS}/a/scale`;
  const lease = `${LEASES}/a`;
  const remove = (path: string) => [{ op: 'remove', path }];

  // The answer's status, and the field of a 422 or of a warning.
  const cases: [path: string, type: string, patch: unknown, status: number, about?: string][] = [
    // Another kind is refused, whether it is known or not. A strategic patch cannot change the kind.
    [map, MERGE, { kind: 'Secret' }, 422, 'patch'],
    [map, MERGE, { kind: 'Nosuch' }, 422, 'patch'],
    [map, MERGE, { kind: 5 }, 422, 'patch'],
    [map, MERGE, { kind: 'Deployment', apiVersion: 'apps/v1' }, 422, 'patch'],
    [map, MERGE, { apiVersion: 'v9' }, 422, 'patch'],
    // A removed version means the remaining version.
    [`${DEPLOYMENTS}/a`, MERGE, { apiVersion: 'apps/v1beta1' }, 200],
    [`${DEPLOYMENTS}/a`, MERGE, { apiVersion: 'extensions/v1beta1' }, 200],
    [`${DEPLOYMENTS}/a`, MERGE, { apiVersion: 'extensions/v1beta1', kind: 'DaemonSet' }, 422, 'patch'],
    [`${DEPLOYMENTS}/a`, MERGE, { apiVersion: 'apps/v1beta9' }, 422, 'patch'],
    [map, MERGE, { kind: null }, 200],
    [map, JSON_PATCH, remove('/kind'), 200],
    [map, STRATEGIC, { kind: 'Secret' }, 200],
    [map, STRATEGIC, { kind: 'Nosuch', apiVersion: 'v9' }, 200],
    [map, STRATEGIC, { kind: 5 }, 422, 'patch'],
    // Without a version, the server understands no part of the object, not even its name.
    [map, MERGE, { apiVersion: null }, 400, 'unknown field \\"metadata\\"'],
    [map, JSON_PATCH, remove('/apiVersion'), 400, 'unknown field \\"data\\"'],
    [map, STRATEGIC, { apiVersion: null }, 200],
    // Wrong types.
    [map, MERGE, { data: { x: 5 } }, 422, 'patch'],
    [map, STRATEGIC, { data: { x: 5 } }, 422, 'patch'],
    [map, STRATEGIC, { metadata: { labels: ['a'] } }, 422, 'patch'],
    [secret, MERGE, { data: { x: 5 } }, 422, 'patch'],
    [secret, MERGE, { kind: 'ConfigMap' }, 422, 'patch'],
    [secret, STRATEGIC, { stringData: { y: 5, z: CONFIDENTIAL } }, 422, 'patch'],
    // Kinds that require a version also require it in patches.
    [map, MERGE, { metadata: { resourceVersion: null } }, 200],
    [lease, MERGE, { metadata: { resourceVersion: null } }, 422, 'metadata.resourceVersion'],
    [lease, MERGE, { metadata: { resourceVersion: '0' } }, 422, 'metadata.resourceVersion'],
    [lease, STRATEGIC, { metadata: { resourceVersion: '' } }, 422, 'metadata.resourceVersion'],
    [lease, JSON_PATCH, remove('/metadata/resourceVersion'), 422, 'metadata.resourceVersion'],
    [lease, MERGE, { spec: { holderIdentity: 'me' } }, 200],
    // The scale of an object is patched like the object.
    [scale, MERGE, { spec: { replicas: 'x' } }, 422, 'patch'],
    [scale, STRATEGIC, { spec: { replicas: 'x' } }, 422, 'patch'],
    [scale, MERGE, { kind: 'Deployment', apiVersion: 'apps/v1' }, 422, 'patch'],
    [scale, MERGE, { apiVersion: null }, 400],
    [scale, MERGE, { metadata: { name: 'x' } }, 400],
    [scale, MERGE, { metadata: { namespace: 'x' } }, 400],
    [scale, MERGE, { metadata: { uid: 'x' } }, 422, 'metadata.uid'],
    [scale, JSON_PATCH, [{ op: 'replace', path: '/spec/replicas', value: 2, odd: 1 }], 200, '[0].odd'],
    [`${scale}?fieldValidation=Strict`, JSON_PATCH, [{ op: 'replace', path: '/spec/replicas', value: 2, odd: 1 }], 400],
  ];
  const confidential = [CONFIDENTIAL, Buffer.from(CONFIDENTIAL).toString('base64')];
  for (const [path, type, patch, status, about] of cases) {
    it(`is as expected for ${type} ${JSON.stringify(patch)} of ${path}`, async () => {
      const headers = { 'Content-Type': `application/${type}` };
      const { json, ...answer } = await replica.call('PATCH', path, { headers, raw: JSON.stringify(patch) });
      assert.equal(answer.status, status, answer.text);
      if (status >= 400) for (const text of confidential) assert.ok(!answer.text.includes(text), answer.text);
      if (status === 422) assert.equal(json.details.causes[0].field, about);
      else if (about !== undefined) assert.ok(String(answer.headers['warning']).includes(about));
    });
  }

  // Bodies that are not patches. They are reported only if the object exists.
  const none = `${MAPS}/none`;
  const broken: [path: string, type: string | undefined, raw: string | undefined, status: number, message: string][] = [
    [map, MERGE, '{', 400, 'error decoding patch: unexpected end of JSON input'],
    [map, JSON_PATCH, '', 400, 'error decoding patch: unexpected end of JSON input'],
    [map, STRATEGIC, '{}x', 400, "invalid character 'x' after top-level value"],
    [map, STRATEGIC, '[]', 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [map, STRATEGIC, '{"data":{"x":[null]}}', 422, 'map[data:map[x:[<nil>]]]'],
    [none, MERGE, '{', 404, 'not found'],
    [none, JSON_PATCH, '{', 404, 'not found'],
    [map, `${MERGE}, application/${JSON_PATCH}`, '{}', 415, 'accepted media types include: application/json-patch'],
    [map, 'json', '{}', 415, '415: Unsupported Media Type'],
    [map, undefined, undefined, 406, '406: Not Acceptable'],
  ];
  for (const [path, type, raw, status, message] of broken) {
    it(`is an error for ${type} ${raw} of ${path}`, async () => {
      const request = raw === undefined ? {} : { headers: { 'Content-Type': `application/${type}` }, raw };
      const answer = await replica.call('PATCH', path, request);
      assert.equal(answer.status, status, answer.text);
      assert.ok(String(answer.json.message).includes(message), answer.text);
    });
  }

  // The kind and version in a scale of a PUT.
  const put: [metadata: object, status: number][] = [
    [{ name: 'a' }, 200],
    [{ name: 'a', namespace: 'default' }, 200],
    [{ name: 'a', namespace: 'x' }, 400],
    [{ name: 'x' }, 400],
    [{ name: 'a', uid: 'x' }, 409],
  ];
  for (const [metadata, status] of put) {
    it(`is as expected for a PUT of a scale with ${JSON.stringify(metadata)}`, async () => {
      const answer = await replica.call('PUT', scale, { body: { metadata, spec: { replicas: 1 } } });
      assert.equal(answer.status, status, answer.text);
    });
  }
});
