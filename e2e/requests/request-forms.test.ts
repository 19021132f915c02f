import assert from 'node:assert/strict';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testNaming } from '#server/testing/replica.ts';

const CERTIFICATES = `/apis/${testNaming.group('certificates')}`;
const AUTHORIZATION = `/apis/${testNaming.group('authorization')}`;
const REGISTRATION = `/apis/${testNaming.group('apiregistration')}`;
const SECRETS = '/api/v1/namespaces/default/secrets';
const TEMPLATES = '/api/v1/namespaces/default/podtemplates';
const WATCHED = '/api/v1/watch/namespaces/default/secrets';
const POLICED = '/api/v1/namespaces/default/configmaps/held';
const POLICIES = `/apis/${testNaming.group('networking')}/v1/namespaces/default/networkpolicies`;
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const REVIEWS = `${AUTHORIZATION}/v1/selfsubjectaccessreviews`;
const REVIEW = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };
const TOKENS = '/api/v1/namespaces/default/serviceaccounts/default/token';
const TABLE = `application/json;as=Table;v=v1;g=${testNaming.group('meta')}`;
const NAMED = { metadata: { name: 'tried' } };
const PDF = { Accept: 'application/pdf' };

const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const LABELS = { app: 'a' };
const DEPLOYMENT = {
  metadata: { name: 'scaled' },
  spec: {
    selector: { matchLabels: LABELS },
    template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};
const controller = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', name, uid: name, controller: true });

type Row = [line: string, status: number, says: string, headers?: Record<string, string>, body?: unknown];

/** A request, the status of its answer, and the expected content of the answer. */
const GROUPS: Record<string, Row[]> = {
  'paths of resources': [
    ['GET /api/v1/bindings', 404, '"details":{}'],
    ['POST /api/v1/bindings', 404, '"details":{}'],
    [`POST ${AUTHORIZATION}/v1/localsubjectaccessreviews`, 404, '"details":{}'],
    ['POST /api/v1/pods', 405, 'MethodNotAllowed'],
    ['GET /api/v1/watch/componentstatuses', 404, '"details":{}'],
    [`GET ${AUTHORIZATION}/v1/watch/subjectaccessreviews`, 404, '"details":{}'],
    ['GET /api/v1/componentstatuses?watch=1', 405, 'watch is not supported'],
  ],
  'invalid names in paths': [
    [`GET ${SECRETS}/a%25b`, 400, `Name parameter invalid: \\"a%b\\": may not contain '%'`],
    [`DELETE ${SECRETS}/a%25b`, 400, 'Name parameter invalid'],
    [`PATCH ${SECRETS}/a%25b`, 400, 'Name parameter invalid', { 'Content-Type': 'application/merge-patch+json' }, {}],
    [`PUT ${SECRETS}/a%25b`, 400, 'Name parameter invalid', {}, { metadata: { name: 'a%b' } }],
    [`GET ${WATCHED}/a%25b?timeoutSeconds=1`, 200, ''],
  ],
  'watches of one object': [
    [`GET ${WATCHED}/a?timeoutSeconds=1&fieldSelector=metadata.name%3Da`, 200, ''],
    [
      `GET ${WATCHED}/a?fieldSelector=metadata.name%3Db`,
      400,
      "fieldSelector metadata.name doesn't match requested name",
    ],
    [`GET ${WATCHED}/a?fieldSelector=type%3DOpaque`, 400, "doesn't match requested name"],
    [`GET ${SECRETS}/a?watch=1&fieldSelector=metadata.name%3Db`, 400, "doesn't match requested name"],
    [`GET ${WATCHED}/a?fieldSelector=nothing%3Db`, 400, 'field label not supported'],
  ],
  'field selectors by namespace': [
    ['GET /api/v1/configmaps?fieldSelector=metadata.namespace%3Da', 200, '"items":[]'],
    ['GET /api/v1/persistentvolumes?fieldSelector=metadata.namespace%3D', 200, '"items":[]'],
    ['GET /api/v1/componentstatuses?fieldSelector=metadata.namespace%3Da', 200, '"items":[]'],
    ['GET /api/v1/nodes?fieldSelector=metadata.namespace%3Da', 400, 'field label not supported: metadata.namespace'],
    ['GET /api/v1/namespaces?fieldSelector=metadata.namespace%3Da', 400, 'field label not supported'],
  ],
  'the order of error checks': [
    [`PATCH ${SECRETS}/a?dryRun=no`, 415, 'UnsupportedMediaType', { 'Content-Type': 'text/plain' }, {}],
    [`PATCH ${SECRETS}/a`, 415, 'UnsupportedMediaType', { 'Content-Type': 'text/plain', ...PDF }, {}],
    [`PATCH ${SECRETS}/nosuch`, 415, 'UnsupportedMediaType', { 'Content-Type': 'text/plain' }, {}],
    [`PATCH ${SECRETS}`, 405, 'MethodNotAllowed', { 'Content-Type': 'text/plain' }, {}],
    ['GET /api/v1/namespaces/default/pods/nosuch/log', 406, 'NotAcceptable', { Accept: TABLE }],
    ['GET /api/v1/namespaces/default/pods/nosuch/log', 404, 'not found', { Accept: 'text/plain' }],
    ['GET /api/v1/namespaces/default/pods/nosuch/log', 404, 'not found', { Accept: `${TABLE},application/json` }],
  ],
  'resource versions in created objects': [
    [`POST ${SECRETS}`, 201, '"name":"zero"', {}, { metadata: { name: 'zero', resourceVersion: '0' } }],
    [`POST ${SECRETS}`, 400, 'should not be set', {}, { metadata: { name: 'one', resourceVersion: '1' } }],
    [`POST ${SECRETS}`, 400, 'should not be set', {}, { metadata: { name: 'one', resourceVersion: 'x' } }],
    [`POST ${SECRETS}?dryRun=All`, 201, '"name":"one"', {}, { metadata: { name: 'one', resourceVersion: '1' } }],
  ],
  // The interface takes dryRun without a value as an ordinary request, although servers of the field refuse it.
  'dryRun without a value': [
    ['POST /api/v1/namespaces?dryRun=', 201, '"name":"tried"', {}, NAMED],
    ['GET /api/v1/namespaces/tried', 200, '"name":"tried"'],
    ['PATCH /api/v1/namespaces/tried?dryRun&pretty', 200, '"one"', MERGE, { metadata: { labels: { done: 'one' } } }],
    [
      'PUT /api/v1/namespaces/tried?dryRun=',
      200,
      '"two"',
      {},
      { metadata: { name: 'tried', labels: { done: 'two' } } },
    ],
    ['POST /api/v1/namespaces?dryRun=All&dryRun=', 201, '"name":"all"', {}, { metadata: { name: 'all' } }],
    ['GET /api/v1/namespaces/all', 404, 'not found'],
    ['GET /api/v1/namespaces/tried', 200, '"two"'],
    ['DELETE /api/v1/namespaces/tried?dryRun=All', 200, '"name":"tried"', {}, { dryRun: [''] }],
    ['GET /api/v1/namespaces/tried', 200, '"phase":"Active"'],
    ['DELETE /api/v1/namespaces/tried?dryRun=', 200, 'deletionTimestamp'],
    ['GET /api/v1/namespaces/tried', 200, '"phase":"Terminating"'],
  ],
  'tables of subresources': [
    ['PUT /api/v1/namespaces/default/finalize', 406, 'NotAcceptable', { Accept: TABLE }, {}],
    ['PUT /api/v1/namespaces/default/pods/nosuch/ephemeralcontainers', 406, 'NotAcceptable', { Accept: TABLE }, {}],
    ['POST /api/v1/namespaces/default/pods/nosuch/eviction', 406, 'NotAcceptable', { Accept: TABLE }, {}],
    [`PUT ${CERTIFICATES}/v1/certificatesigningrequests/x/approval`, 406, 'NotAcceptable', { Accept: TABLE }, {}],
    ['GET /api/v1/namespaces/default/status', 200, '"kind":"Table"', { Accept: TABLE }],
  ],
  'fields that clients cannot set or own': [
    [
      `POST ${SECRETS}?dryRun=All`,
      201,
      '"fieldsV1":{"f:type":{}}',
      {},
      { metadata: { name: 'ending', deletionGracePeriodSeconds: 5, deletionTimestamp: '2020-01-01T00:00:00Z' } },
    ],
    [
      'POST /api/v1/persistentvolumes?dryRun=All',
      201,
      '"f:claimRef":{".":{},"f:name":{},"f:namespace":{}}',
      {},
      {
        metadata: { name: 'claimed' },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          hostPath: { path: '/x' },
          claimRef: { namespace: 'default', name: 'c' },
        },
      },
    ],
  ],
  'fields that the finalize subresource does not own': [
    ['POST /api/v1/namespaces', 201, 'finalized', {}, { metadata: { name: 'finalized' } }],
    [
      'PUT /api/v1/namespaces/finalized/finalize?fieldManager=f&dryRun=All',
      200,
      '"fieldsV1":{"f:spec":{"f:finalizers":{}}},"subresource":"finalize"',
      {},
      { metadata: { name: 'finalized' }, spec: { finalizers: ['example.com/a'] }, status: { phase: 'Active' } },
    ],
  ],
  'lists that select one object by name': [
    [`POST ${SECRETS}`, 201, 'single', {}, { metadata: { name: 'single', labels: { only: 'one' } } }],
    [`GET ${SECRETS}?limit=1&resourceVersion=1&fieldSelector=metadata.name%3Dsingle`, 200, '"name":"single"'],
    [`GET ${SECRETS}?resourceVersionMatch=Odd`, 422, 'resourceVersionMatch'],
    [`GET ${SECRETS}?resourceVersionMatch=Odd&fieldSelector=unknown%3Db`, 422, 'resourceVersionMatch'],
    [`GET ${SECRETS}?resourceVersionMatch=Odd&fieldSelector=a+in+b`, 400, "can't understand"],
    [`GET ${SECRETS}?resourceVersionMatch=Odd&labelSelector=%3D`, 400, "found '='"],
  ],
  'the metadata of a scale': [
    [`POST ${DEPLOYMENTS}`, 201, 'scaled', {}, DEPLOYMENT],
    [`PATCH ${DEPLOYMENTS}/scaled/scale`, 200, '"replicas":0', MERGE, { spec: { replicas: 0 } }],
    [
      `PATCH ${DEPLOYMENTS}/scaled/scale`,
      422,
      'Only one reference can have Controller set to true',
      MERGE,
      { metadata: { ownerReferences: [controller('a'), controller('b')] }, spec: { replicas: 1 } },
    ],
    [`PATCH ${DEPLOYMENTS}/scaled/scale`, 422, 'metadata.labels', MERGE, { metadata: { labels: { 'a b': 'c' } } }],
  ],
  'long request targets': [
    [`GET ${TEMPLATES}?labelSelector=a+notin+(${'b,'.repeat(50_000)}b)`, 200, '"items":[]'],
    [`GET ${TEMPLATES}?labelSelector=${'x'.repeat(300_000)}`, 431, 'RequestHeaderFieldsTooLarge'],
  ],
  discovery: [
    ['POST /apis', 200, 'APIGroupList'],
    ['POST /apis/apps', 200, '"kind":"APIGroup"'],
    ['DELETE /apis/apps/', 200, '"kind":"APIGroup"'],
    [`POST ${REGISTRATION}`, 405, 'MethodNotAllowed'],
    ['POST /apis/apps/v1', 405, 'MethodNotAllowed'],
    ['POST /api', 405, 'MethodNotAllowed'],
    ['GET /apis/apps', 406, 'only the following media types are accepted', PDF],
    ['GET /apis/apps', 200, '"kind":"APIGroup"', { Accept: 'application/*' }],
    ['GET /apis/apps/v1', 406, 'Available representations', { Accept: 'application/*' }],
    [`GET ${REGISTRATION}`, 406, 'Available representations', PDF],
    ['GET /apis/apps/v1', 406, 'Available representations', PDF],
  ],
  'other paths': [
    ['GET /version', 406, 'Available representations: application/json"', PDF],
    ['GET /version', 406, 'Available representations', { Accept: 'application/*' }],
    ['GET /version', 200, 'gitVersion', { Accept: 'text/html;q=1, */*;q=0.1' }],
    ['GET /.well-known/openid-configuration', 406, 'representations: application/json', { Accept: 'application/*' }],
    ['HEAD /.well-known/openid-configuration', 405, ''],
    ['HEAD /openid/v1/jwks', 405, ''],
    ['GET /logs', 406, 'Available representations: "', PDF],
    ['GET /api/v1/namespaces/default/pods/p/log', 406, 'representations: text/plain, application/json', PDF],
    ['GET /api/v1/namespaces/default/pods/p/log', 404, 'not found', { Accept: 'application/yaml' }],
    ['GET /version/x', 404, '"details":{}'],
    ['GET /index.html', 200, '"/apis/"'],
    ['POST /metrics', 200, '# TYPE'],
    ['GET /livez?verbose&exclude=b&exclude=a', 200, 'no matches for "a","b"\nlivez check passed'],
  ],
  'empty segments': [
    ['GET //api', 404, '404 page not found\n'],
    ['GET //apis/apps/v1', 404, '404 page not found\n'],
    ['GET /apis//apps', 404, '404 page not found\n'],
    ['GET ///api/v1/namespaces/default', 404, '404 page not found\n'],
    ['DELETE //api/v1/namespaces/default', 404, '404 page not found\n'],
  ],
  'tables of types that can only be created': [
    [`POST ${REVIEWS}`, 406, 'only the following media types', { Accept: TABLE }, REVIEW],
    [`POST ${REVIEWS}`, 201, '"allowed":true', { Accept: `${TABLE},application/json` }, REVIEW],
    ['POST /api/v1/namespaces/default/serviceaccounts', 201, '', {}, { metadata: { name: 'default' } }],
    [`POST ${TOKENS}`, 201, '"token"', { Accept: `${TABLE},application/json` }, { spec: {} }],
    [
      'PUT /api/v1/namespaces/default/status',
      200,
      '"kind":"Table"',
      { Accept: TABLE },
      { metadata: { name: 'default' } },
    ],
    ['GET /api/v1/namespaces/default/status', 200, '"kind":"Table"', { Accept: TABLE }],
  ],
  deletion: [
    [`POST ${POLICED.slice(0, -5)}`, 201, 'held', {}, { metadata: { name: 'held', finalizers: ['example.com/a'] } }],
    [`DELETE ${POLICED}?dryRun=All`, 200, 'held', {}, { kind: 'DeleteOptions', apiVersion: 'v2' }],
    [`DELETE ${POLICED}`, 400, 'no kind', {}, { kind: 'Options', apiVersion: 'v2' }],
    [`DELETE ${POLICED}`, 400, 'no kind', {}, { kind: 'DeleteOptions', apiVersion: 'a/b/c' }],
    [`DELETE ${POLICED}?dryRun=All`, 200, 'held', {}, { kind: 'DeleteOptions', apiVersion: 'example.com/v1' }],
    [`DELETE ${POLICED}?dryRun=All`, 200, 'held', {}, { kind: 'DeleteOptions', apiVersion: 'extensions/v1beta1' }],
    [`DELETE ${POLICED}?dryRun=All&orphanDependents=FALSE`, 202, '"held"'],
    [`DELETE ${POLICED}?dryRun=All&orphanDependents=F`, 200, '"orphan"'],
    [`DELETE ${POLICED}?dryRun=All&orphanDependents=1`, 200, '"orphan"'],
    // The query may also contain preconditions. They do not count if there is a body.
    [`DELETE ${POLICED}?uid=x`, 409, 'the UID in the precondition (x)'],
    [`DELETE ${POLICED}?resourceVersion=1`, 409, 'the ResourceVersion in the precondition (1)'],
    [`DELETE ${POLICED}?uid=x&gracePeriodSeconds=x`, 202, 'deletionTimestamp', {}, { orphanDependents: false }],
    [`POST ${POLICIES}`, 201, '"policy"', {}, { metadata: { name: 'policy' }, spec: { podSelector: {} } }],
    [`DELETE ${POLICIES}/policy?uid=x`, 409, '"group":"extensions","kind":"NetworkPolicy"'],
    // An object that does not exist has no version to compare.
    [`PUT ${SECRETS}/nosuch`, 404, 'not found', {}, { metadata: { name: 'nosuch', resourceVersion: 'x' } }],
    [`DELETE ${JOBS}`, 200, 'JobList'],
  ],
};

describe('requests', () => {
  let replica: TestReplica;

  aroundAll((started) => {
    replica = started;
  });

  for (const [about, rows] of Object.entries(GROUPS))
    describe(`about ${about}`, () => {
      for (const [line, status, says, headers, body] of rows)
        it(`${line.slice(0, 120)} ${JSON.stringify(body ?? headers ?? {})} -> ${status}`, async () => {
          const [method = '', target = ''] = line.split(' ');
          const answer = await replica.call(method, target, {
            ...(headers === undefined ? {} : { headers }),
            ...(body === undefined ? {} : { body }),
          });
          assert.equal(answer.status, status, answer.text);
          assert.ok(answer.text.includes(says), answer.text);
        });
    });

  it('end pretty-printed JSON without a line break, and other JSON with one', async () => {
    const namespaces = '/api/v1/namespaces';
    const xml = { Accept: 'application/xml' };
    const ends: readonly (readonly [path: string, end: string, headers?: Record<string, string>])[] = [
      [namespaces, '}]}\n'],
      [`${namespaces}?pretty=true`, '\n  ]\n}'],
      [`${namespaces}?pretty=true`, '\n  ]\n}', { Accept: TABLE }],
      [`${namespaces}?limit=1&pretty=1`, '\n  ]\n}'],
      [`${namespaces}/default?pretty=true`, '\n}'],
      [`${namespaces}/nobody`, '404}\n'],
      [`${namespaces}/nobody?pretty=true`, '404\n}'],
      [namespaces, '406}\n', xml],
      [`${namespaces}?pretty=true`, '406\n}', xml],
      ['/version?pretty=true', '406\n}', xml],
      ['/api?pretty=true', ']\n}'],
      ['/version', '"\n}'],
      ['/', ']\n}'],
    ];
    for (const [path, end, headers] of ends) {
      const { text } = await replica.call('GET', path, headers === undefined ? {} : { headers });
      assert.equal(text.slice(-end.length), end, path);
    }
  });

  it('that create a namespace add the label with its name, even for a generated name', async () => {
    for (const metadata of [
      { name: 'named' },
      { generateName: 'generated-' },
      { generateName: 'g-', labels: { a: 'b' } },
    ])
      for (const query of ['?dryRun=All', '']) {
        const { json } = await replica.call('POST', `/api/v1/namespaces${query}`, { body: { metadata } });
        const { name, labels } = json.metadata;
        assert.deepEqual(labels, { ...metadata.labels, [testNaming.key('metadata.name')]: name });
      }
  });

  it('that delete jobs get a warning if no propagation policy is given', async () => {
    for (const [target, warned] of [
      [JOBS, true],
      [`${JOBS}/nobody`, true],
      [`${JOBS}?propagationPolicy=Orphan`, false],
    ] as const) {
      const { headers } = await replica.call('DELETE', target);
      assert.equal(headers['warning'] !== undefined, warned, target);
    }
  });
});
