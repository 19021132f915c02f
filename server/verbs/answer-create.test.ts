import assert from 'node:assert/strict';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testNaming, testPki } from '../testing/replica.ts';

const AUTHORIZATION = testNaming.apiVersion('authorization', 'v1');
const AUTHENTICATION = testNaming.apiVersion('authentication', 'v1');
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const REVIEWS = `/apis/${AUTHORIZATION}`;

describe('the answer to a create request for a kind that is not stored', () => {
  let replica: TestReplica;
  let token: string;
  aroundAll((started) => {
    replica = started;
  });

  before(async () => {
    token = testPki().read('tokens.csv').split(',')[0]!;
    const { status } = await replica.call('POST', ACCOUNTS, { body: { metadata: { name: 'robot' } } });
    assert.equal(status, 201);
  });

  const list = { resource: 'pods', verb: 'list' };
  const asked = { 'f:resource': {}, 'f:verb': {}, '.': {} };
  const tokens = `/apis/${AUTHENTICATION}/tokenreviews`;
  const issue = `${ACCOUNTS}/robot/token`;
  // The body, the other metadata of the answer, and the fields that the writer owns. Undefined means that the answer is
  // another object.
  const cases: [path: string, body: () => object, metadata: object, owned: object | undefined][] = [
    [
      `${REVIEWS}/subjectaccessreviews`,
      () => ({ spec: { user: 'x', resourceAttributes: list } }),
      {},
      { 'f:spec': { 'f:resourceAttributes': asked, 'f:user': {} } },
    ],
    [
      `${REVIEWS}/subjectaccessreviews`,
      () => ({ metadata: { labels: {}, managedFields: [{}] }, spec: { user: 'x', resourceAttributes: {} } }),
      {},
      { 'f:spec': { 'f:resourceAttributes': {}, 'f:user': {} } },
    ],
    [
      `${REVIEWS}/selfsubjectaccessreviews`,
      () => ({ spec: { resourceAttributes: list } }),
      {},
      { 'f:spec': { 'f:resourceAttributes': asked } },
    ],
    [
      `${REVIEWS}/namespaces/default/localsubjectaccessreviews`,
      () => ({ spec: { user: 'x', resourceAttributes: { ...list, namespace: 'default' } } }),
      { namespace: 'default' },
      { 'f:spec': { 'f:resourceAttributes': { ...asked, 'f:namespace': {} }, 'f:user': {} } },
    ],
    [`${REVIEWS}/selfsubjectrulesreviews`, () => ({ spec: { namespace: 'default' } }), {}, undefined],
    [
      tokens,
      () => ({ metadata: { name: 'n', namespace: 'lost', labels: { a: 'b' } }, spec: { token } }),
      { name: 'n', labels: { a: 'b' } },
      { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } }, 'f:spec': { 'f:token': {} } },
    ],
    [issue, () => ({}), { name: 'robot', namespace: 'default' }, { 'f:spec': { 'f:expirationSeconds': {} } }],
    [
      issue,
      () => ({ metadata: { annotations: { a: 'b' } }, spec: { audiences: ['x'], expirationSeconds: 700 } }),
      { name: 'robot', namespace: 'default', annotations: { a: 'b' } },
      {
        'f:metadata': { 'f:annotations': { '.': {}, 'f:a': {} } },
        'f:spec': { 'f:audiences': {}, 'f:expirationSeconds': {} },
      },
    ],
  ];
  for (const [path, body, metadata, owned] of cases) {
    it(`has the metadata and managed fields of a create at ${path} with ${JSON.stringify(body())}`, async () => {
      const answer = await replica.call('POST', `${path}?fieldManager=me`, { body: body() });
      assert.equal(answer.status, 201, answer.text);
      const { managedFields, creationTimestamp, ...rest } = answer.json.metadata;
      assert.equal(creationTimestamp === null, path !== issue);
      assert.deepEqual(rest, metadata);
      const entries = (managedFields ?? []).map(({ time, ...entry }: { time: string }) => {
        assert.ok(time);
        return entry;
      });
      const apiVersion = path.startsWith(REVIEWS) ? AUTHORIZATION : AUTHENTICATION;
      const entry = { manager: 'me', operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1: owned };
      const subresource = path === issue ? { subresource: 'token' } : {};
      assert.deepEqual(entries, owned === undefined ? [] : [{ ...entry, ...subresource }]);
    });
  }
});
