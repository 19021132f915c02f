import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { tries } from '#scripts/tries.ts';
import { runLine } from './testing/run-line.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const named = (name: string, more: Record<string, Json> = {}): Json => ({
  metadata: {
    name,
    namespace: 'default',
    labels: { app: 'a' },
    annotations: { note: 'n' },
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  ...more,
});
const verbs = ['get', 'list', 'watch', 'create', 'patch', 'delete'];
const type = (resource: string, kind: string, shortNames: string[] = []): Json => ({
  ...{
    resource,
    responseKind: { group: '', version: 'v1', kind },
    scope: 'Namespaced',
    singularResource: kind.toLowerCase(),
  },
  ...{ verbs, shortNames, categories: ['all'], subresources: [] },
});
const pod = named('p', {
  apiVersion: 'v1',
  kind: 'Pod',
  spec: {
    nodeName: 'n',
    containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: 'b' }] }],
    volumes: [{ name: 'v', emptyDir: {} }],
  },
  status: {
    phase: 'Running',
    podIP: '10.0.0.1',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'c', ready: true, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }],
  },
});
const events = [
  named('e', {
    ...{ type: 'Warning', reason: 'Failed', message: 'it failed', count: 2, lastTimestamp: '2026-01-01T00:00:00Z' },
    ...{ involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' }, source: { component: 's' } },
  }),
];

/** The server's answers, by path. */
const ANSWERS: Readonly<Record<string, Json>> = {
  '/api': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: {},
        versions: [
          {
            version: 'v1',
            freshness: 'Current',
            resources: [
              type('pods', 'Pod', ['po']),
              type('events', 'Event', ['ev']),
              type('configmaps', 'ConfigMap', ['cm']),
            ],
          },
        ],
      },
    ],
  },
  '/apis': { kind: 'APIGroupDiscoveryList', groups: [], items: [] },
  '/api/v1/namespaces/default/pods': {
    kind: 'Table',
    metadata: { resourceVersion: '1' },
    columnDefinitions: [
      { name: 'Name', priority: 0 },
      { name: 'Status', priority: 0 },
    ],
    rows: [
      { cells: ['p', 'Running'], object: named('p') },
      { cells: ['q', 3], object: named('q') },
    ],
  },
  '/api/v1/namespaces/default/pods/p': pod,
  '/api/v1/namespaces/default/configmaps': {
    kind: 'ConfigMapList',
    metadata: {},
    items: [named('a', { data: { k: 'v' } })],
  },
  '/api/v1/namespaces/default/configmaps/a': named('a', { apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'v' } }),
  '/api/v1/namespaces/default/events': { kind: 'EventList', metadata: {}, items: events },
  '/openapi/v3': { paths: { 'api/v1': { serverRelativeURL: '/openapi/v3/api/v1' } } },
  '/openapi/v3/api/v1': {
    components: {
      schemas: {
        'core.v1.Pod': {
          description: 'A pod.',
          properties: {
            spec: { description: 'What is wanted.', type: 'object', properties: { a: { type: 'string' } } },
            names: { type: 'array', items: { type: 'string' } },
          },
          'x-orchestration-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
        },
      },
    },
  },
};

/** The sequences that this program writes itself. */
const OWN = /\p{Cc}\[(?:1|0|33;1|0;32|0;33)m/gu;
const STEERING = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const HOSTILE = 'x\u001b[2J\u009b31m\u0007\u202e\u007f\u0085y';

describe('responses of a hostile server', function () {
  this.timeout(120_000);
  let server: Server;
  let answers: Readonly<Record<string, Json>> = ANSWERS;
  let refuse: Json | undefined;

  before(async () => {
    server = createServer((request, response) => {
      const [place = ''] = (request.url ?? '').split('?');
      const own = Object.hasOwn(answers, place) ? answers[place] : undefined;
      const answer = refuse ??
        own ?? {
          kind: 'Status',
          code: 404,
          reason: 'NotFound',
          message: `${HOSTILE} not found`,
          details: { name: HOSTILE },
        };
      const failed = refuse !== undefined || own === undefined;
      response.writeHead(failed ? 404 : 200, {
        'content-type': 'application/json',
        // The values have C1 characters only, because a header cannot contain the other control characters.
        warning: '299 - "x\u009b31m\u0085y"',
      });
      response.end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());
  afterEach(() => {
    answers = ANSWERS;
    refuse = undefined;
  });

  const run = (line: string, columns?: number) => {
    const { port } = server.address() as AddressInfo;
    const words = [
      ...line.split(' '),
      `--server=http://127.0.0.1:${port}`,
      '--cache-dir=/dev/null/none',
      '--request-timeout=5s',
    ];
    return runLine(words, { home: '/dev/null/none', ...(columns === undefined ? {} : { columns }) });
  };

  /** The same value with hostile texts everywhere, except in texts on which other answers depend. */
  function poisoned(value: Json, key = ''): Json {
    if (typeof value === 'string')
      return /^(kind|version|resource|scope|freshness|singularResource|continue|resourceVersion|type|serverRelativeURL|namespace|creationTimestamp|group|apiVersion|phase|shortNames|verbs)$/.test(
        key,
      )
        ? value
        : `${value}${HOSTILE}`;
    if (Array.isArray(value)) return value.map((item) => poisoned(item, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, poisoned(each, name)]));
  }

  const lines = [
    'get pods',
    'get pods -o wide --show-labels',
    'get pods -w --request-timeout=1s',
    'get configmaps',
    'get configmaps a -o yaml',
    'get configmaps -o name',
    'get configmaps -o custom-columns=N:.metadata.name,D:.data.k',
    'get configmaps -o jsonpath={.items[*].data.k}',
    'get configmaps a -o go-template={{.data.k}}',
    'get configmaps nope',
    'get nope',
    'describe pods p',
    'describe configmaps a',
    'events',
    'events --for=pods/p',
    'explain pods',
    'explain pods.spec',
    'annotate configmaps a --list',
    'label configmaps a --list',
    'api-resources',
    'api-versions',
    'version',
    'cluster-info',
    'delete configmaps a --wait=false',
    'auth whoami',
    'tree configmaps a',
    'history configmaps a',
    'get configmaps -v=9',
  ];
  for (const line of lines)
    it(`cannot send control sequences to a terminal: ${line}`, async () => {
      answers = poisoned(ANSWERS as Json) as typeof ANSWERS;
      const { stdout, stderr } = await run(line, 100);
      for (const text of [stdout, stderr]) assert.doesNotMatch(text.replaceAll(OWN, ''), STEERING);
      assert.ok((stdout + stderr).length > 0);
    });

  it('reach a pipe unchanged if a command prints a single value', async () => {
    answers = {
      ...ANSWERS,
      '/api/v1/namespaces/default/configmaps/a': named('a', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        data: { k: HOSTILE },
      }),
    };
    assert.equal((await run('get configmaps a -o jsonpath={.data.k}')).stdout, HOSTILE);
  });

  it('with an invalid Status are handled', async () => {
    for (const status of [
      { kind: 'Status', message: { a: 1 }, reason: 3, details: null },
      {
        kind: 'Status',
        message: 'm',
        reason: 'Invalid',
        details: { kind: 1, causes: [null, { field: 2, message: {} }] },
      },
      { kind: 'Status', message: 'm', reason: 'Invalid', details: { kind: 'Pod', causes: 'all' } },
      { kind: 'Status', details: { retryAfterSeconds: 'soon' } },
      null,
      [],
    ] as Json[]) {
      refuse = status;
      const { code, stderr } = await run('get pods');
      assert.equal(code, 1);
      assert.match(stderr, /^(Warning.*\n)?(error|Error from server|The .* is invalid)/);
    }
  });

  it('with an invalid table result in a clear error', async () => {
    answers = {
      ...ANSWERS,
      '/api/v1/namespaces/default/pods': { kind: 'Table', columnDefinitions: [{ name: 'Name' }], rows: [null] },
    };
    const { code, stderr } = await run('get pods');
    assert.equal(code, 1);
    assert.match(stderr, /error: rows\[0\] of the table that the server sent has no cells\n/);
  });

  /** All places in a value. */
  function places(value: Json, at: readonly string[] = []): (readonly string[])[] {
    if (typeof value !== 'object' || value === null) return [at];
    return [at, ...Object.entries(value).flatMap(([key, inner]) => places(inner as Json, [...at, key]))];
  }
  /** A copy of the value with another value at a path. */
  function changed(value: Json, [key, ...rest]: readonly string[], to: Json): Json {
    if (key === undefined) return to;
    const copy = structuredClone(value) as Record<string, Json>;
    copy[key] = changed(copy[key]!, rest, to);
    return copy;
  }
  const all = places(ANSWERS as Json).filter((place) => place.length > 0);
  const others: Json[] = [null, true, -1, 1e308, '', 'text', [], [null], {}, { a: null }, [[]], ['x']];
  const asked = [
    'get pods',
    'get pods p -o wide',
    'get configmaps',
    'get configmaps -o yaml',
    'describe pods p',
    'describe configmaps a',
    'events',
    'explain pods',
    'explain pods.spec',
    'get events -o custom-columns=N:.metadata.name',
    'get pods,configmaps --sort-by=.metadata.name',
  ];

  it('of any form are shown or result in a clear error', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...asked),
        fc.array(fc.tuple(fc.constantFrom(...all), fc.constantFrom(...others)), { minLength: 1, maxLength: 2 }),
        async (line, changes) => {
          let value = ANSWERS as Json;
          for (const [place, to] of changes)
            try {
              value = changed(value, place, to);
            } catch {
              // The previous change removed that place.
            }
          answers = value as typeof ANSWERS;
          const { code, stderr, stdout } = await run(line);
          assert.ok(code === 0 || code === 1, `code ${code}`);
          if (code === 1)
            assert.match(
              stderr,
              /^(error: |Error from server|Error: |Unable to |the server doesn't have |The .* is invalid)/m,
            );
          assert.doesNotMatch(stderr + stdout, /\n {4}at /);
        },
      ),
      { numRuns: tries(3000), interruptAfterTimeLimit: 20_000 },
    );
  });
});
