import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { createNaming } from '#base/naming/create-naming.ts';
import { FLOODS, preface } from '#server/testing/http2-frames.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { Crowd, type Reply, VERSIONS, type Version } from './crowd.ts';
import { Neighbour } from './neighbour.ts';

/** The number of watchers for each version of HTTP. */
const WATCHERS = 300;
const DEAF_WATCHERS = 50;
const OBJECTS = 10_000;
const LIST_CLIENTS = 15;
const SLOW_BODIES = 30;

/**
 * The number of seats of the priority level that all clients here share, and the length of the queue for one client.
 */
const TOTAL_SEATS = 100;
const SHARES = 20;
const QUEUES = { queues: 64, handSize: 6, queueLengthLimit: 10 };
const REQUEST_TIMEOUT = 8;

/** The largest resident memory that the server may use for the whole test, in bytes. */
const MEMORY = 600 << 20;

const maps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const both = <T>(count: number, make: (version: Version, i: number) => T): T[] =>
  VERSIONS.flatMap((version) => Array.from({ length: count }, (_, i) => make(version, i)));

describe('an overloaded replica', () => {
  const pki = temporaryPki();
  const naming = createNaming('orch');
  const [ca, cert, key] = ['ca.crt', 'node1.crt', 'node1.key'].map((name) => pki.read(name)) as [
    string,
    string,
    string,
  ];
  const tokens = { crowd: randomBytes(16).toString('hex'), neighbour: randomBytes(16).toString('hex') };
  const lease = `/apis/${naming.group('coordination')}/v1/namespaces/${naming.prefixed('node-lease')}/leases`;
  let etcd: EtcdProcess;
  let replica: Replica;
  let crowd: Crowd;
  let neighbours: Neighbour[] = [];
  let peak = 0;
  let halfOpen: { closed: number; readonly opened: number };

  before(async () => {
    etcd = await EtcdProcess.start();
    await fill(etcd.endpoint);
    appendFileSync(
      pki.file('tokens.csv'),
      Object.entries(tokens)
        .map(([user, token]) => `${token},${user},uid-${user}\n`)
        .join(''),
    );
    replica = await startReplica(pki, etcd.endpoint, {
      flags: [
        `--max-requests-inflight=${TOTAL_SEATS / 2}`,
        `--max-mutating-requests-inflight=${TOTAL_SEATS / 2}`,
        `--request-timeout=${REQUEST_TIMEOUT}s`,
      ],
    });
    const create = async (path: string, body: object) => {
      const answer = await replica.request('POST', path, body);
      assert.equal(answer.status, 201, answer.body);
    };
    for (const name of ['quiet', 'flood']) await create('/api/v1/namespaces', { metadata: { name } });
    await create(maps('quiet'), { metadata: { name: 'one' } });
    const subjects = Object.keys(tokens).map((name) => ({ kind: 'User', name }));
    const rbac = naming.group('rbac.authorization');
    await create(`/apis/${rbac}/v1/clusterrolebindings`, {
      metadata: { name: 'everybody' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: subjects.map((subject) => ({ apiGroup: rbac, ...subject })),
    });
    await create(lease, { metadata: { name: 'node1' }, spec: { holderIdentity: 'node1' } });
    const flow = `/apis/${naming.group('flowcontrol.apiserver')}/v1beta2`;
    await create(`${flow}/prioritylevelconfigurations`, {
      metadata: { name: 'shared' },
      spec: {
        type: 'Limited',
        limited: { assuredConcurrencyShares: SHARES, limitResponse: { type: 'Queue', queuing: QUEUES } },
      },
    });
    await create(`${flow}/flowschemas`, {
      metadata: { name: 'shared' },
      spec: {
        priorityLevelConfiguration: { name: 'shared' },
        matchingPrecedence: 600,
        distinguisherMethod: { type: 'ByUser' },
        rules: [
          {
            subjects: Object.keys(tokens).map((name) => ({ kind: 'User', user: { name } })),
            resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
          },
        ],
      },
    });
    crowd = new Crowd(replica.port, ca, tokens.crowd);
    const place = { host: '127.0.0.1', port: replica.port, ca };
    neighbours = [
      new Neighbour('GET', () => ({
        ...place,
        path: `${maps('quiet')}/one`,
        headers: { authorization: `Bearer ${tokens.neighbour}` },
      })),
      new Neighbour('lease', () => ({
        ...place,
        cert,
        key,
        method: 'PATCH',
        path: `${lease}/node1`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ spec: { renewTime: new Date().toISOString().replace('Z', '000Z') } }),
      })),
    ];
    for (const neighbour of neighbours) neighbour.start(50);
    halfOpen = await openHalf();
  });

  after(async () => {
    for (const neighbour of neighbours) await neighbour.stop();
    crowd?.leave();
    await replica?.stop();
    await etcd?.stop();
    for (const line of neighbours.flatMap((neighbour) => neighbour.report())) console.log(`      ${line}`);
    console.log(`      ${crowd?.uncertain} requests of the crowd got no certain answer in time`);
    console.log(`      resident memory at most ${(peak / 2 ** 20).toFixed(0)} MiB`);
  });

  const phase = (name: string) => {
    for (const neighbour of neighbours) neighbour.phase = name;
  };

  afterEach(async () => {
    phase('nothing else happens');
    for (const { failed, probed, refused } of neighbours) {
      assert.equal(refused, 0, 'another client was sent away');
      assert.ok(failed <= 1 + probed / 20, `${failed} of ${probed} requests of another client failed`);
    }
    const status = readFileSync(`/proc/${replica.pid}/status`, 'utf8');
    peak = Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) * 1024;
    assert.ok(peak < MEMORY, `${(peak / 2 ** 20).toFixed(0)} MiB`);
    assert.equal((await replica.request('GET', '/readyz')).status, 200);
  });

  /** Connections on which the client sends nothing, or half of a head. The server closes them during the test. */
  async function openHalf() {
    const half = { closed: 0, opened: 250 };
    const counted = (socket: { once(event: 'close', listener: () => void): unknown; resume(): unknown }) => {
      socket.once('close', () => half.closed++);
      socket.resume();
    };
    for (let n = 0; n < 200; n++) counted(connectTcp(replica.port, '127.0.0.1').on('error', () => {}));
    for (let n = 0; n < 25; n++) {
      const socket = await crowd.connect('http/1.1');
      socket.write('GET /api HTTP/1.1\r\nHost: local');
      counted(socket);
      const other = await crowd.connect('h2');
      other.write(preface().subarray(0, 30));
      counted(other);
    }
    return half;
  }

  async function watchers(): Promise<number> {
    const { body } = await replica.request('GET', '/metrics');
    return [...body.matchAll(/^apiserver_longrunning_requests\{.*resource="configmaps".*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  }

  async function until(seconds: number, what: string, check: () => boolean | Promise<boolean>): Promise<void> {
    for (const giveUpAt = Date.now() + seconds * 1000; !(await check()); await sleep(200))
      if (Date.now() > giveUpAt) assert.fail(`not within ${seconds} s: ${what}`);
  }

  let version = '';
  const counts: number[] = [];

  it(`sends ${2 * WATCHERS} watchers every event while ${3 * DEAF_WATCHERS} others read nothing`, async () => {
    const list = await crowd.persist('HTTP/2', 'GET', `${maps('quiet')}?limit=1`);
    version = JSON.parse(list.body.toString()).metadata.resourceVersion;
    const query = `watch=1&resourceVersion=${version}`;
    phase('watches are opened');
    for (let first = 0; first < WATCHERS; first += 25)
      await Promise.all(
        both(25, (http) => {
          const i = counts.push(0) - 1;
          return crowd.watch(http, `${maps('quiet')}?${query}`, () => void counts[i]!++);
        }),
      );
    const deaf = Array.from({ length: DEAF_WATCHERS }, () => `${maps('flood')}?${query}`);
    await crowd.deaf1(deaf);
    await crowd.deaf2(deaf, 'usual');
    await crowd.deaf2(deaf, 'wide');
    await until(60, 'all watches are open', async () => (await watchers()) === 2 * WATCHERS + 3 * DEAF_WATCHERS);
    phase('watchers get events');
    for (let n = 0; n < 20; n++) {
      const body = JSON.stringify({ metadata: { name: `told-${n}` } });
      assert.equal((await crowd.persist('HTTP/1.1', 'POST', maps('quiet'), body)).status, 201);
    }
    await until(60, 'every watcher has seen 20 events', () => counts.every((count) => count === 20));
  });

  it('refuses a part of a flood of creates, and shows no client an object of another client', async () => {
    phase('creates pour in');
    const data = { filler: 'x'.repeat(100_000) };
    const replies = await Promise.all(
      both(100, (http, n) => {
        const body = JSON.stringify({ metadata: { name: `${http.replace(/\W/g, '-').toLowerCase()}-${n}` }, data });
        return crowd.persist(http, 'POST', maps('flood'), body);
      }),
    );
    // 409 means that an attempt succeeded whose answer arrived too late.
    const unexpected = replies
      .filter(({ status }) => status !== 201 && status !== 409)
      .map(({ status, body }) => `${status} ${body.toString().slice(0, 500)}`);
    assert.deepEqual(unexpected, []);
    assert.ok(
      replies.some(({ refusals }) => refusals > 0),
      'some were sent away with 429',
    );
    assert.ok(counts.every((count) => count === 20));
    const { body } = await crowd.persist('HTTP/1.1', 'GET', `${maps('flood')}?limit=1`);
    const now = JSON.parse(body.toString()).metadata.resourceVersion;
    const resumed: string[] = [];
    await crowd.watch('HTTP/2', `${maps('flood')}?watch=1&resourceVersion=${now}`, (line) => resumed.push(line));
    const more = JSON.stringify({ metadata: { name: 'one-more' } });
    assert.equal((await crowd.persist('HTTP/2', 'POST', maps('flood'), more)).status, 201);
    await until(60, 'a watch that is opened now goes on', () => resumed.length === 1);
  });

  it(`serves lists of ${OBJECTS} objects to ${2 * LIST_CLIENTS} clients at the same time`, async () => {
    phase('large lists are read');
    const lists = both(LIST_CLIENTS, (http) => crowd.persist(http, 'GET', `${maps('many')}?resourceVersion=0`));
    const replies = await Promise.all(lists);
    for (const { status, body } of replies) {
      assert.equal(status, 200);
      assert.equal(body.subarray(-3).toString().trimEnd(), ']}');
    }
    assert.equal(new Set(replies.map(({ body }) => body.length)).size, 1, 'all got the same');
  });

  const list = `${maps('many')}?resourceVersion=0`;
  const paths = (count: number, path: (i: number) => string) => Array.from({ length: count }, (_, i) => path(i));
  for (const [what, open] of [
    ['lists', () => crowd.deaf1(paths(20, () => list))],
    [
      'lists on streams',
      () =>
        crowd.deaf2(
          paths(100, () => list),
          'usual',
        ),
    ],
    [
      'lists on wide streams',
      () =>
        crowd.deaf2(
          paths(100, () => list),
          'wide',
        ),
    ],
    [
      'objects on streams',
      () =>
        crowd.deaf2(
          paths(300, (i) => `${maps('flood')}/http-2-${i % 100}`),
          'usual',
        ),
    ],
  ] as const)
    it(`does not let a client that reads nothing block all seats: ${what}`, async () => {
      phase(`${what} are not read`);
      await open();
      await until(REQUEST_TIMEOUT + 10, 'those who read nothing get no more', async () => (await ask()).status === 429);
      await until(REQUEST_TIMEOUT + 10, 'their time is over', async () => (await ask()).status === 200);
    });

  /** Sends one small request of the crowd. Resolves to its answer. */
  function ask(): Promise<Reply> {
    return crowd.send('HTTP/1.1', 'GET', `${maps('quiet')}/one`);
  }

  it('is not blocked by slow request bodies', async () => {
    phase('bodies are slow');
    const slow = await Promise.all(both(SLOW_BODIES, (http) => crowd.drip(http, maps('quiet'))));
    // 429 means that the crowd has too many of these requests.
    assert.deepEqual(new Set(slow), new Set([429, 504]));
    const body = JSON.stringify({ metadata: { name: 'after' } });
    assert.equal((await crowd.persist('HTTP/1.1', 'POST', maps('quiet'), body)).status, 201);
  });

  it('closes connections that flood it with frames', async () => {
    phase('frames pour in');
    const taken = await Promise.all(Object.entries(FLOODS).map(([what, piece]) => flood(what, piece)));
    assert.deepEqual(
      taken.filter(({ ended }) => !ended).map(({ what }) => what),
      [],
    );
  });

  /** Sends pieces as fast as the server accepts them, for at most ten seconds. */
  async function flood(what: string, piece: (n: number) => Buffer): Promise<{ what: string; ended: boolean }> {
    const socket: TLSSocket = await crowd.connect('h2');
    const closed = new Promise<void>((resolve) => socket.resume().once('close', () => resolve()));
    socket.write(preface());
    for (let n = 0, until = Date.now() + 10_000; !socket.destroyed && Date.now() < until; n += 500) {
      const pieces = Buffer.concat(Array.from({ length: 500 }, (_, i) => piece(n + i)));
      if (!socket.write(pieces)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
      await sleep(1);
    }
    const ended = socket.destroyed;
    socket.destroy();
    return { what, ended };
  }

  it('closes connections whose handshake never completes', async () => {
    phase('nothing else happens');
    await until(120, 'all are closed', () => halfOpen.closed === halfOpen.opened);
    const told = counts[0]!;
    const body = JSON.stringify({ metadata: { name: 'last' } });
    assert.equal((await crowd.persist('HTTP/2', 'POST', maps('quiet'), body)).status, 201);
    await until(60, 'those who read have seen it all', () => counts.every((count) => count === told + 1));
  });
});

/** Writes objects into etcd in the server's stored form, before the server starts. This is faster than requests. */
async function fill(endpoint: string): Promise<void> {
  const filler = 'x'.repeat(800);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  for (let first = 0; first < OBJECTS; first += 100) {
    const success = Array.from({ length: 100 }, (_, i) => {
      const name = `object-${String(first + i).padStart(6, '0')}`;
      const uid = `00000000-0000-4000-8000-${String(first + i).padStart(12, '0')}`;
      const metadata = { name, namespace: 'many', uid, creationTimestamp: '2026-01-01T00:00:00Z' };
      const value = JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { filler } });
      return { requestPut: { key: base64(`/registry/core/configmaps/many/${name}`), value: base64(value) } };
    });
    const response = await fetch(`${endpoint}/v3/kv/txn`, { method: 'POST', body: JSON.stringify({ success }) });
    assert.equal(response.status, 200, await response.text());
  }
}
