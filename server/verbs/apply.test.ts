import assert from 'node:assert/strict';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testNaming } from '../testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const COORDINATION = testNaming.apiVersion('coordination', 'v1');
const LEASES = `/apis/${COORDINATION}/namespaces/default/leases`;
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const AUTOSCALING = testNaming.apiVersion('autoscaling', 'v1');

describe('an apply patch', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });

  const headers = { 'Content-Type': 'application/apply-patch+yaml' };
  const apply = (path: string, body: string, query = '') =>
    replica.call('PATCH', `${path}?fieldManager=m${query}`, { headers, raw: body });

  before(async () => {
    const labels = { app: 'd' };
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const made: [string, object][] = [
      [MAPS, { data: { x: '1' } }],
      [LEASES, {}],
      [DEPLOYMENTS, { spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } } }],
    ];
    for (const [path, content] of made) {
      const { status, text } = await replica.call('POST', path, { body: { metadata: { name: 'a' }, ...content } });
      assert.equal(status, 201, text);
    }
  });

  const map = `${MAPS}/a`;
  const lease = `${LEASES}/a`;
  const scale = `${DEPLOYMENTS}/a/scale`;
  const ofMap = (more: object) => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', ...more });
  const ofLease = (version: unknown) =>
    JSON.stringify({ apiVersion: COORDINATION, kind: 'Lease', metadata: { name: 'a', resourceVersion: version } });
  const wrongKind = (kind: string) =>
    `Incorrect kind specified in apply patch. Specified patch kind: ${kind}, expected: ConfigMap`;
  const noVersion = 'Incorrect version specified in apply patch. Specified patch version: , expected: v1';
  const unmarshal = (type: string) =>
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  const versionless = `leases.${COORDINATION.split('/')[0]} "a" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update`;
  const twice = 'apiVersion: v1\nkind: ConfigMap\ndata:\n  k: "1"\n  k: "2"\n';
  const replicas = `{"apiVersion":"${AUTOSCALING}","kind":"Scale","spec":{"replicas":1,"replicas":2}}`;

  const cases: [path: string, body: string, status: number, message?: string][] = [
    // The body must have the kind of the path.
    [map, ofMap({ kind: 'Secret' }), 400, wrongKind('Secret')],
    [map, ofMap({ kind: 'Nosuch' }), 400, wrongKind('Nosuch')],
    [map, '{"apiVersion":"v1"}', 400, wrongKind('')],
    [`${MAPS}/new`, ofMap({ kind: 'Secret' }), 400, wrongKind('Secret')],
    [
      map,
      ofMap({ metadata: { name: '' } }),
      400,
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ],
    // A missing object is reported before an error in the body.
    [`${DEPLOYMENTS}/none/status`, ofMap({}), 404],
    [`${DEPLOYMENTS}/none/status`, '{', 404],
    [`${DEPLOYMENTS}/none/scale`, '{', 404],
    [map, ofMap({ apiVersion: 'v9', kind: 'Nosuch' }), 400, noVersion.replace(' ,', ' v9,')],
    [map, '{"kind":"ConfigMap"}', 400, noVersion],
    [map, '', 400, noVersion],
    [map, 'null', 400, noVersion],
    [scale, '{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2}}', 400],
    [scale, `{"apiVersion":"${AUTOSCALING}","kind":"Deployment","spec":{"replicas":2}}`, 400],
    // The body is a valid document, but not an object.
    [map, '[]', 400, unmarshal('array')],
    [map, '5', 400, unmarshal('number')],
    [scale, '"text"', 400, unmarshal('string')],
    [
      map,
      'apiVersion: v1\n\tkind: [',
      400,
      'error decoding YAML: error converting YAML to JSON: yaml: line 2: found character that cannot start any token',
    ],
    // Kinds that require a version require it here too, unless the body names no version.
    [lease, ofLease(''), 422, versionless],
    [lease, ofLease('0'), 422, versionless],
    [lease, ofLease(null), 422, versionless],
    [lease, ofLease('1'), 409],
    [lease, ofLease('abc'), 400],
    [lease, ofLease(undefined), 200],
    [map, ofMap({ metadata: { name: 'a', resourceVersion: '0' } }), 200],
    // A created object needs a name. An existing one has its name.
    [map, ofMap({}), 200],
    [
      `${MAPS}/unnamed`,
      ofMap({ data: { a: 'b' } }),
      400,
      'the name of the object (unnamed based on URL) was undeterminable: name must be provided',
    ],
  ];
  for (const [path, body, status, message] of cases) {
    it(`gets ${status} at ${path} for ${JSON.stringify(body)}`, async () => {
      const answer = await apply(path, body);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.headers['warning'], undefined);
      if (message !== undefined) assert.equal(answer.json.message, message);
    });
  }

  const complaint = (line: number, key: string) => `line ${line}: key ${JSON.stringify(key)} already set in map`;
  const strict = (text: string) =>
    `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${text}`;
  const judged: [path: string, body: string, text: string][] = [
    [map, twice, complaint(5, 'k')],
    [scale, replicas, complaint(1, 'replicas')],
  ];
  for (const [path, body, text] of judged) {
    it(`with duplicate keys is refused, warned about or accepted by fieldValidation at ${path}`, async () => {
      const force = '&force=true';
      const refused = await apply(path, body, `&fieldValidation=Strict${force}`);
      assert.deepEqual([refused.status, refused.json.message], [400, strict(text)]);
      const warned = await apply(path, body, force);
      assert.deepEqual([warned.status, warned.headers['warning']], [200, `299 - ${JSON.stringify(text)}`]);
      const ignored = await apply(path, body, `&fieldValidation=Ignore${force}`);
      assert.deepEqual([ignored.status, ignored.headers['warning']], [200, undefined]);
    });
  }

  it('is refused with unknown fields for any fieldValidation, and reports a conflict before duplicate keys', async () => {
    for (const validation of ['Ignore', 'Warn', 'Strict']) {
      const answer = await apply(map, ofMap({ nosuch: 1 }), `&fieldValidation=${validation}`);
      assert.deepEqual([answer.status, answer.headers['warning']], [400, undefined], answer.text);
    }
    const conflicting = 'apiVersion: v1\nkind: ConfigMap\ndata:\n  x: "8"\n  x: "9"\n';
    const { status } = await apply(map, conflicting, '&fieldValidation=Strict');
    assert.equal(status, 409);
  });
});
