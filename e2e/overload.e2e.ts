import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { createNaming } from '../server/naming/create-naming.ts';
import { EtcdProcess } from '../storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from './replica.ts';

const WATCHERS = 1800;
const DEAF_WATCHERS = 200;
const OBJECTS = 20_000;
const LIST_CLIENTS = 50;
const READING = 30;
const MUTATING = 20;
const REQUEST_TIMEOUT = 12;

/** What the server may take for all of this together, resident, in bytes. */
const MEMORY = 1 << 30;

const maps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

describe('one replica under more load than it can take', () => {
  const pki = temporaryPki();
  const ca = pki.read('ca.crt');
  /** A user whom limits apply to: not one of the administrators of the cluster. */
  const token = pki.read('tokens.csv').split('\n')[1]!.split(',')[0]!;
  const agent = new https.Agent({ keepAlive: true, ca, maxSockets: 400 });
  const latencies = new Map<string, number[]>();
  let phase = 'idle';
  let etcd: EtcdProcess;
  let replica: Replica;
  let stopProbe = () => {};
  const sockets: Socket[] = [];

  before(async () => {
    etcd = await EtcdProcess.start();
    await fill(etcd.endpoint);
    replica = await startReplica(pki, etcd.endpoint, {
      flags: [
        // one user is the whole crowd here: these are the limits of all, not of a part of them
        '--enable-priority-and-fairness=false',
        `--max-requests-inflight=${READING}`,
        `--max-mutating-requests-inflight=${MUTATING}`,
        `--request-timeout=${REQUEST_TIMEOUT}s`,
      ],
    });
    for (const name of ['quiet', 'flood'])
      assert.equal((await replica.request('POST', '/api/v1/namespaces', { metadata: { name } })).status, 201);
    const group = createNaming('orch').group('rbac.authorization');
    const binding = {
      metadata: { name: 'bob' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: group, kind: 'User', name: 'bob' }],
    };
    const bound = await replica.request('POST', `/apis/${group}/v1/clusterrolebindings`, binding);
    assert.equal(bound.status, 201, bound.body);
    stopProbe = probe();
  });

  after(async () => {
    stopProbe();
    agent.destroy();
    for (const socket of sockets) socket.destroy();
    await replica?.stop();
    await etcd?.stop();
    for (const [name, all] of latencies) {
      const sorted = all.toSorted((a, b) => a - b);
      const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]!.toFixed(0);
      console.log(
        `      GET while ${name}: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, worst ${at(1)} ms, ${all.length} times`,
      );
    }
    console.log(
      `      ${failed} of ${probed} failed, ${uncertain} requests of the crowd got no certain answer in time`,
    );
    console.log(`      resident memory at most ${(peak / 2 ** 20).toFixed(0)} MiB`);
  });

  let peak = 0;

  /** What the server takes now and took at most; asserted after every phase. */
  function checkMemory(): void {
    const status = readFileSync(`/proc/${replica.pid}/status`, 'utf8');
    peak = Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) * 1024;
    assert.ok(peak < MEMORY, `${(peak / 2 ** 20).toFixed(0)} MiB`);
  }

  /** Another client, that does nothing unusual. */
  function probe(): () => void {
    let stop = false;
    const running = (async () => {
      while (!stop) {
        const started = performance.now();
        const answer = await replica.request('GET', '/api/v1/namespaces/quiet').catch(() => undefined);
        latencies.set(phase, [...(latencies.get(phase) ?? []), performance.now() - started]);
        probed++;
        // on a machine that is too small for all of this etcd may answer too late, which is 503
        if (answer?.status !== 200) failed++;
        await sleep(100);
      }
    })();
    void running;
    return () => {
      stop = true;
    };
  }

  let uncertain = 0;
  let probed = 0;
  let failed = 0;

  afterEach(async () => {
    phase = 'idle';
    assert.ok(failed <= 1 + probed / 20, `${failed} of ${probed} requests of another client failed`);
    checkMemory();
    assert.equal((await replica.request('GET', '/readyz')).status, 200);
  });

  function send(method: string, path: string, body?: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token}`, ...(body ? { 'Content-Type': 'application/json' } : {}) };
      const request = https.request(
        { host: '127.0.0.1', port: replica.port, method, path, agent, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () =>
            resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
          );
        },
      );
      request.once('error', reject);
      request.end(body);
    });
  }

  /**
   * As clients do: what gets 429 comes back when it was told to, and what got no certain answer in time (503, 504) is
   * tried again. Resolves to the answer and how often it was sent away.
   */
  async function persist(method: string, path: string, body?: string) {
    for (let refusals = 0; ; refusals++) {
      const reply = await send(method, path, body);
      if (reply.status === 503 || reply.status === 504) uncertain++;
      else if (reply.status !== 429) return { ...reply, refusals };
      else assert.equal(reply.headers['retry-after'], '1');
      await sleep(1000 + Math.random() * 500);
    }
  }

  /** A connection, and a request on it that nobody reads the answer of. */
  async function deaf(path: string): Promise<Socket> {
    const socket = connectTls({ host: '127.0.0.1', port: replica.port, ca });
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'secureConnect');
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return socket;
  }

  /** Opens a watch; `onLine` is called with every event as it came. Opening again where it is refused. */
  async function watch(path: string, onLine: (line: string) => void): Promise<void> {
    for (;;) {
      const headers = { Authorization: `Bearer ${token}` };
      const request = https.get({ host: '127.0.0.1', port: replica.port, path, headers, agent: false, ca });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      if (response.statusCode === 429) {
        response.resume();
        await sleep(200);
        continue;
      }
      assert.equal(response.statusCode, 200);
      request.on('error', () => {});
      sockets.push(response.socket);
      let rest = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop()!;
        lines.forEach(onLine);
      });
      response.on('error', () => {});
      return;
    }
  }

  async function watchers(): Promise<number> {
    const { body } = await replica.request('GET', '/metrics');
    return [...body.matchAll(/^apiserver_longrunning_requests\{.*resource="configmaps".*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  }

  async function until(seconds: number, what: string, check: () => boolean | Promise<boolean>): Promise<void> {
    for (const giveUpAt = Date.now() + seconds * 1000; !(await check()); await sleep(500))
      if (Date.now() > giveUpAt) assert.fail(`not within ${seconds} s: ${what}`);
  }

  let version = '';
  const counts: number[] = [];

  it(`tells ${WATCHERS} watchers everything while ${DEAF_WATCHERS} more read nothing`, async () => {
    version = JSON.parse((await persist('GET', maps('quiet'))).body.toString()).metadata.resourceVersion;
    phase = 'watches are opened';
    for (let first = 0; first < WATCHERS; first += READING) {
      const batch = Array.from({ length: Math.min(READING, WATCHERS - first) }, (_, i) => first + i);
      await Promise.all(
        batch.map((i) => {
          counts[i] = 0;
          return watch(`${maps('quiet')}?watch=1&resourceVersion=${version}`, () => void counts[i]!++);
        }),
      );
    }
    for (let first = 0; first < DEAF_WATCHERS; first += 10) {
      const query = `watch=1&resourceVersion=${version}`;
      await Promise.all(Array.from({ length: 10 }, () => deaf(`${maps('flood')}?${query}`)));
      await sleep(50);
    }
    await until(20, 'all watches are open', async () => (await watchers()) === WATCHERS + DEAF_WATCHERS);
    phase = 'watchers are told';
    for (let n = 0; n < 20; n++) {
      const body = JSON.stringify({ metadata: { name: `told-${n}` } });
      assert.equal((await persist('POST', maps('quiet'), body)).status, 201);
    }
    await until(20, 'everybody has seen 20 events', () => counts.every((count) => count === 20));
  });

  it('refuses what is too much of a flood of creates, and closes watches that have fallen behind for good', async () => {
    phase = 'creates pour in';
    const data = { filler: 'x'.repeat(250_000) };
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        persist('POST', maps('flood'), JSON.stringify({ metadata: { name: `drop-${n}` }, data })),
      ),
    );
    // 409: an attempt whose answer came too late was done
    assert.ok(replies.every(({ status }) => status === 201 || status === 409));
    assert.ok(
      replies.some(({ refusals }) => refusals > 0),
      'some were sent away with 429',
    );
    // a history of what is gone takes memory, and so is cut short
    assert.equal((await persist('DELETE', maps('flood'))).status, 200);
    await until(30, 'the watches that read nothing are closed', async () => (await watchers()) === WATCHERS);
    assert.ok(
      counts.every((count) => count === 20),
      'the others stay, and saw nothing that is not theirs',
    );
    // whoever was closed finds its version gone, or goes on from it; a new list and a watch from there always work
    const lines: string[] = [];
    await watch(`${maps('flood')}?watch=1&resourceVersion=${version}&timeoutSeconds=5`, (line) => lines.push(line));
    await until(10, 'a watch from the old version is answered', () => lines.length > 0);
    const first = JSON.parse(lines[0]!);
    assert.ok(first.type === 'ADDED' || (first.type === 'ERROR' && first.object.code === 410), lines[0]!.slice(0, 500));
    const { body } = await persist('GET', `${maps('flood')}?limit=1`);
    const now = JSON.parse(body.toString()).metadata.resourceVersion;
    const resumed: string[] = [];
    await watch(`${maps('flood')}?watch=1&resourceVersion=${now}&timeoutSeconds=10`, (line) => resumed.push(line));
    assert.equal(
      (await persist('POST', maps('flood'), JSON.stringify({ metadata: { name: 'one-more' } }))).status,
      201,
    );
    await until(5, 'the resumed watch goes on', () => resumed.length === 1);
  });

  it(`lists ${OBJECTS} objects for ${LIST_CLIENTS} clients at once, and lets nobody keep a list for good`, async () => {
    phase = 'large lists are read';
    const path = `${maps('many')}?resourceVersion=0`;
    const lengths = new Set<number>();
    let refusals = 0;
    await Promise.all(
      Array.from({ length: LIST_CLIENTS }, async () => {
        const reply = await persist('GET', path);
        assert.equal(reply.status, 200);
        assert.equal(reply.body.subarray(-3).toString().trimEnd(), ']}');
        lengths.add(reply.body.length);
        refusals += reply.refusals;
      }),
    );
    assert.equal(lengths.size, 1, 'all got the same');
    assert.ok(refusals > 0, 'some were sent away with 429');
    phase = 'lists are not read';
    for (let n = 0; n < READING; n++) await deaf(path);
    await until(
      5,
      'those who read nothing take all there is',
      async () => (await send('GET', maps('quiet'))).status === 429,
    );
    await until(
      REQUEST_TIMEOUT + 10,
      'their time is over',
      async () => (await send('GET', maps('quiet'))).status === 200,
    );
  });

  it('is not kept busy by half-open connections and slow bodies', async () => {
    phase = 'connections are half open and bodies slow';
    const closed = { silent: 0, headless: 0 };
    const opened = 200;
    for (let n = 0; n < opened; n++) {
      const socket = connectTcp(replica.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.once('close', () => closed.silent++);
      socket.resume();
      sockets.push(socket);
    }
    const headless = 50;
    for (let n = 0; n < headless; n++) {
      const socket = connectTls({ host: '127.0.0.1', port: replica.port, ca });
      socket.on('error', () => {});
      socket.once('close', () => closed.headless++);
      socket.resume();
      sockets.push(socket);
      await once(socket, 'secureConnect');
      socket.write('GET /api HTTP/1.1\r\nHost: local');
    }
    const started = Date.now();
    const slow = await Promise.all(
      Array.from({ length: MUTATING / 2 }, () => {
        const headers = {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          'Content-Length': 10_000,
        };
        const options = { host: '127.0.0.1', port: replica.port, method: 'POST', path: maps('quiet'), headers };
        const request = https.request({ ...options, agent: false, ca });
        const drip = setInterval(() => request.write(' '), 200);
        return new Promise<number>((resolve, reject) => {
          request.once('response', (response) => resolve(response.resume().statusCode!));
          request.once('error', reject);
        }).finally(() => {
          clearInterval(drip);
          request.destroy();
        });
      }),
    );
    assert.deepEqual([...new Set(slow)], [504]);
    assert.ok(Date.now() - started < (REQUEST_TIMEOUT + 10) * 1000);
    assert.equal((await persist('POST', maps('quiet'), JSON.stringify({ metadata: { name: 'after' } }))).status, 201);
    await until(60, 'half-open connections are closed', () => closed.silent === opened && closed.headless === headless);
  });
});

/** Puts objects into etcd as the server stores them: quicker than through it, and it finds them when it starts. */
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
