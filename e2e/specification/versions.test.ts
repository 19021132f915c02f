import assert from 'node:assert/strict';
import { aroundAll } from '#server/testing/around-all.ts';
import type { TestAnswer, TestReplica } from '#server/testing/replica.ts';
import { SmallServer } from '#server/testing/small-server.ts';
import { type Conversations, converse, header, is, lacks, names, type Turn } from './conversation.ts';
import { REVIEWS } from './conversations/access-reviews.ts';
import { LISTS } from './conversations/lists-by-version.ts';
import { add, LIST, NS } from './conversations/version-parts.ts';

const MAPS = `${NS}/configmaps`;
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const make = (path: string, name: string): Turn => [`POST ${path}`, 201, [], { body: { metadata: { name } } }];

const relabel = (path: string, to: string): Turn => [
  `PATCH ${path}`,
  200,
  [],
  { headers: MERGE, body: { metadata: { labels: { to } } } },
];

const GETS: Conversations = {
  'the version of an object is from its last change, and of a collection from its read': [
    [`POST ${MAPS}`, 201, [], { body: { metadata: { name: 'a' } }, keep: { rv: 'metadata.resourceVersion' } }],
    make(MAPS, 'b'),
    [`GET ${MAPS}/a`, 200, [], { keep: { again: 'metadata.resourceVersion' } }],
    [`DELETE ${MAPS}/a`, 409, [], { body: { preconditions: { resourceVersion: '{rv}0' } } }],
    [
      `GET ${MAPS}`,
      200,
      ({ json }) => assert.ok(Number(json.metadata.resourceVersion) >= Number(json.items[1].metadata.resourceVersion)),
    ],
    [`DELETE ${MAPS}/a?dryRun=All`, 200, [], { body: { preconditions: { resourceVersion: '{rv}' } } }],
    [`DELETE ${MAPS}/a?dryRun=All`, 200, [], { body: { preconditions: { resourceVersion: '{again}' } } }],
  ],
  'a get without a version is the most recent': [
    relabel(`${MAPS}/a`, 'one'),
    [`GET ${MAPS}/a`, 200, is('metadata.labels.to', 'one')],
    relabel(`${MAPS}/a`, 'two'),
    [`GET ${MAPS}/a`, 200, is('metadata.labels.to', 'two')],
  ],
  'a get at version 0 is of any version': [[`GET ${MAPS}/a?resourceVersion=0`, 200, is('metadata.name', 'a')]],
  'a get at another version is not older than that': [
    [
      `PATCH ${MAPS}/a`,
      200,
      [],
      { headers: MERGE, body: { metadata: { labels: { to: 'three' } } }, keep: { rv: 'metadata.resourceVersion' } },
    ],
    [`GET ${MAPS}/a?resourceVersion={rv}`, 200, is('metadata.labels.to', 'three')],
    [`GET ${MAPS}/a?resourceVersion=1`, 200, is('metadata.name', 'a')],
  ],
};

const types =
  (...wanted: string[]) =>
  ({ json }: { json: { type: string; object: { metadata: { name: string } } }[] }) =>
    assert.deepEqual(json.map(({ type, object }) => `${type} ${object.metadata.name}`).sort(), [...wanted].sort());

const WATCHED = `${NS}/limitranges`;

const range = (name: string, keep = 'rv'): Turn => [
  `POST ${WATCHED}`,
  201,
  [],
  { body: { metadata: { name }, spec: { limits: [] } }, keep: { [keep]: 'metadata.resourceVersion' } },
];

const WATCHES: Conversations = {
  'a watch without a version begins with ADDED for everything that is there': [
    ...['w1', 'w2'].map((name) => range(name)),
    [`WATCH ${WATCHED}?watch=1`, 200, types('ADDED w1', 'ADDED w2', 'ADDED limits'), { events: 3 }],
  ],
  'a watch from version 0 begins with ADDED for everything that is there': [
    [`WATCH ${WATCHED}?watch=1&resourceVersion=0`, 200, types('ADDED w1', 'ADDED w2', 'ADDED limits'), { events: 3 }],
  ],
  'a watch from another version sends only the changes after it': [
    range('w3'),
    relabel(`${WATCHED}/w1`, 'x'),
    [`WATCH ${WATCHED}?watch=1&resourceVersion={rv}&timeoutSeconds=1`, 200, types('MODIFIED w1')],
  ],
  'a client continues a watch from the last version that it received': [
    range('w4', 'first'),
    range('w5', 'second'),
    [`WATCH ${WATCHED}?watch=1&resourceVersion={first}`, 200, types('ADDED w5'), { events: 1 }],
    range('w6'),
    [`WATCH ${WATCHED}?watch=1&resourceVersion={second}`, 200, types('ADDED w6'), { events: 1 }],
  ],
  'a client lists, then watches from the version of the list': [
    [`GET ${WATCHED}`, 200, [], { keep: { rv: 'metadata.resourceVersion' } }],
    range('w7', 'unused'),
    [`WATCH ${WATCHED}?watch=1&resourceVersion={rv}`, 200, types('ADDED w7'), { events: 1 }],
  ],
};

const PAGES: Conversations = {
  'limit asks for a first page': [
    [`GET ${LIST}?limit=2`, 200, [names('a', 'b'), ({ json }) => assert.ok(json.metadata.continue)]],
  ],
  'a list continues as long as the response has a token': [
    [`GET ${LIST}?limit=4`, 200, names('a', 'b', 'c', 'd'), { keep: { token: 'metadata.continue' } }],
    [`GET ${LIST}?limit=4&continue={token}`, 200, names('e', 'f', 'g', 'h'), { keep: { token: 'metadata.continue' } }],
    [`GET ${LIST}?limit=4&continue={token}`, 200, [names('i', 'j'), ({ json }) => assert.ok(!json.metadata.continue)]],
  ],
  'all pages are from one snapshot, and later changes are in another list': [
    [`GET ${LIST}?limit=9`, 200, [], { keep: { token: 'metadata.continue' } }],
    add('k'),
    [`DELETE ${LIST}/j`, 200],
    [`GET ${LIST}?limit=9&continue={token}`, 200, [names('j'), lacks('"name":"k"')]],
    [`GET ${LIST}`, 200, ['"name":"k"', lacks('"name":"j"')]],
  ],
};

const DELETION: Conversations = {
  'an object without finalizers is deleted at once': [
    make(MAPS, 'plain'),
    [`DELETE ${MAPS}/plain`, 200],
    [`GET ${MAPS}/plain`, 404],
  ],
  'an object with finalizers gets a deletion time and stays': [
    [`POST ${MAPS}`, 201, [], { body: { metadata: { name: 'held', finalizers: ['example.com/a', 'example.com/b'] } } }],
    [`DELETE ${MAPS}/held`, 200, '"deletionTimestamp"'],
    [`GET ${MAPS}/held`, 200, '"deletionTimestamp"'],
  ],
  'finalizers can be removed in any order': [
    [
      `PATCH ${MAPS}/held`,
      200,
      is('metadata.finalizers', ['example.com/a']),
      { headers: MERGE, body: { metadata: { finalizers: ['example.com/a'] } } },
    ],
  ],
  'the object is deleted with its last finalizer': [
    [`GET ${MAPS}/held`, 200],
    [`PATCH ${MAPS}/held`, 200, [], { headers: MERGE, body: { metadata: { finalizers: [] } } }],
    [`GET ${MAPS}/held`, 404],
  ],
};

const HEALTH: Conversations = {
  'healthz still answers, although it is deprecated': [['GET /healthz', 200, 'ok']],
  'livez reports whether the server is alive': [['GET /livez', 200, 'ok']],
  'readyz reports whether the server is ready': [['GET /readyz', 200, 'ok']],
  'a single check can be requested by its name': [
    ['GET /livez/ping', 200, 'ok'],
    ['GET /readyz/etcd', 200, 'ok'],
    ['GET /readyz/nosuch', 404],
  ],
  'verbose lists each check and the result in one line each': [
    ['GET /healthz?verbose', 200, [/^\[\+\]ping ok$/m, /^\[\+\]etcd ok$/m, /healthz check passed\n$/]],
    ['GET /livez?verbose', 200, /^(\[\+\][\w/.-]+ ok\n)+livez check passed\n$/],
  ],
  'exclude skips a check, and verbose marks it': [
    ['GET /readyz?verbose&exclude=etcd', 200, ['[+]etcd excluded: ok\n', '[+]ping ok\n']],
    ['GET /readyz?exclude=etcd', 200, 'ok'],
  ],
  'checks are called ping, log, etcd, shutdown, autoregister-completion, and hooks after their start': [
    [
      'GET /readyz?verbose',
      200,
      ['[+]ping ok', '[+]log ok', '[+]etcd ok', '[+]shutdown ok', '[+]autoregister-completion ok', '[+]poststarthook/'],
    ],
  ],
  'metrics are at /metrics': [
    ['GET /metrics', 200, ['# TYPE apiserver_request_total counter', header('content-type', /^text\/plain/)]],
  ],
};

describe('the specification: versions, lists, watches and health', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });
  for (const conversations of [GETS, LISTS, WATCHES, PAGES, DELETION, HEALTH, REVIEWS])
    converse(() => replica, conversations);
  describe('a future version', () => {
    const asked = new Map<string, Promise<TestAnswer>>();
    // Each request waits for some seconds, so the test sends all of them at once.
    before(() => {
      for (const query of ['/a?', '?', '?resourceVersionMatch=Exact&', '?watch=1&timeoutSeconds=1&'])
        asked.set(query, replica.call('GET', `${MAPS}${query}resourceVersion=999999999`));
    });
    for (const [statement, query] of [
      ['a get of a future version waits a little, then is 504', '/a?'],
      ['a list of a future version waits a little, then is 504', '?'],
      ['an exact list of a future version waits a little, then is 504', '?resourceVersionMatch=Exact&'],
    ] as const)
      it(statement, async () => {
        const { status, json } = await asked.get(query)!;
        assert.equal(status, 504);
        assert.match(json.message, /Too large resource version/);
      });
    it('the response names the seconds until a retry', async () => {
      const { headers, json } = await asked.get('?')!;
      assert.match(String(headers['retry-after']), /^\d+$/);
      assert.equal(json.details.retryAfterSeconds, Number(headers['retry-after']));
    });
    it('a watch from a future version may wait until its timeout', async () => {
      const { status, text } = await asked.get('?watch=1&timeoutSeconds=1&')!;
      assert.deepEqual([status, text], [200, '']);
    });
  });
});

describe('the specification: a version that is no longer retained', () => {
  const server = new SmallServer();
  const old = (more: object) => Buffer.from(JSON.stringify({ v: 'meta.orch.io/v1', ...more })).toString('base64url');
  let revision: number;
  before(async () => {
    const value = (name: string) =>
      JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'default', uid: name } });
    for (const name of ['a', 'b', 'c'])
      revision = server.store.put(`/registry/core/configmaps/default/${name}`, value(name));
    server.store.compact(revision);
    await server.start();
  });
  after(() => server.stop());
  it('an exact list of an old version is 410', async () => {
    const { status, json } = await server.call(
      'GET',
      `${MAPS}?resourceVersion=${revision - 2}&resourceVersionMatch=Exact`,
    );
    assert.deepEqual([status, json.reason], [410, 'Expired']);
  });
  it('a page of an old version is 410', async () => {
    const { status, json } = await server.call('GET', `${MAPS}?resourceVersion=${revision - 2}&limit=1`);
    assert.deepEqual([status, json.reason], [410, 'Expired']);
  });
  it('a page by a token of an old version is 410', async () => {
    const token = old({ rv: revision - 2, start: 'a\0' });
    const { status, json } = await server.call('GET', `${MAPS}?limit=1&continue=${token}`);
    assert.deepEqual([status, json.reason], [410, 'Expired']);
  });
  it('a watch from an old version gets 410', async () => {
    const { status, text } = await server.call(
      'GET',
      `${MAPS}?watch=1&resourceVersion=${revision - 2}&timeoutSeconds=1`,
    );
    const code = status === 200 ? JSON.parse(text.split('\n')[0]!).object.code : status;
    assert.equal(code, 410);
  });
  it('a list without a version succeeds, and a watch can start from it', async () => {
    const { json } = await server.call('GET', MAPS);
    assert.equal(json.items.length, 3);
    const watch = await server.call(
      'GET',
      `${MAPS}?watch=1&resourceVersion=${json.metadata.resourceVersion}&timeoutSeconds=1`,
    );
    assert.deepEqual([watch.status, watch.text], [200, '']);
  });
});
