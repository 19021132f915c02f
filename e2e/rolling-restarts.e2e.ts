import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Informer,
  KubeConfig,
  type KubernetesListObject,
  makeInformer,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import { apiRequest } from '#scripts/api-request.ts';
import { type EtcdContainer, startEtcdContainer } from './etcd-container.ts';
import { type Replica, startReplica, temporaryPki } from './replica.ts';
import { type RoundRobin, startRoundRobin } from './round-robin.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** The number of restarts in a run. RESTARTS=20 makes a thorough run. */
const RESTARTS = Number(process.env['RESTARTS'] ?? 6);

const INFORMERS = 8;

/** The interval between writes of the object that all informers follow, in milliseconds. */
const WRITE_EVERY = 50;

/** The events that one informer got of an object, and their delays. */
interface Followed {
  readonly informer: Informer<V1ConfigMap>;
  /** The numbers that it got, in their order. */
  readonly seen: number[];
  lists: number;
  connects: number;
  readonly errors: string[];
  /** Whether the test is ending it. The library reports its own end as an error. */
  ending: boolean;
  /** The longest time from the answer to a write until the informer had it, in milliseconds. */
  lag: number;
}

describe('a rolling restart of replicas behind a proxy without health checks', function () {
  this.timeout(60_000 + RESTARTS * 30_000);
  const pki = temporaryPki('kubernetes');
  let etcd: EtcdContainer;
  let proxy: RoundRobin;
  let replicas: Replica[] = [];
  const stops: (() => Promise<unknown>)[] = [];

  before(async () => {
    etcd = await startEtcdContainer();
    stops.push(() => etcd.stop());
    stops.push(() => Promise.all(replicas.map((replica) => replica.stop())));
    // The programs start one after the other, because each takes the next free port.
    for (let i = 0; i < 3; i++) {
      replicas = [...replicas, await startReplica(pki, etcd.url, { profile: 'kubernetes' })];
    }
    proxy = await startRoundRobin(replicas.map(({ port }) => port));
    stops.push(() => proxy.stop());
  });

  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  function clientConfig(): KubeConfig {
    const config = new KubeConfig();
    const base64 = (name: string): string => Buffer.from(pki.read(name)).toString('base64');
    config.loadFromClusterAndUser(
      { name: 'cluster', server: `https://127.0.0.1:${proxy.port}`, caData: base64('ca.crt'), skipTLSVerify: false },
      { name: 'admin', certData: base64('admin.crt'), keyData: base64('admin.key') },
    );
    return config;
  }

  /** Follows config maps as programs with this library do. After an error it starts again. */
  function follow(writtenAt: ReadonlyMap<number, number>): Followed {
    const list = async (): Promise<KubernetesListObject<V1ConfigMap>> => {
      followed.lists++;
      const { status, body } = await apiRequest(pki, proxy.port, 'GET', MAPS);
      if (status !== 200) throw new Error(`the list gets ${status}`);
      return JSON.parse(body);
    };
    const informer = makeInformer(clientConfig(), MAPS, list);
    const followed: Followed = { informer, seen: [], lists: 0, connects: 0, errors: [], ending: false, lag: 0 };
    const take = (object: V1ConfigMap): void => {
      if (object.metadata?.name !== 'followed') return;
      const n = Number(object.data?.['n']);
      followed.seen.push(n);
      const at = writtenAt.get(n);
      if (at !== undefined) followed.lag = Math.max(followed.lag, performance.now() - at);
    };
    informer.on('add', take);
    informer.on('update', take);
    informer.on('connect', () => followed.connects++);
    informer.on('error', (error) => {
      if (followed.ending) return;
      followed.errors.push(String(error));
      setTimeout(() => void informer.start(), 100);
    });
    return followed;
  }

  /** Repeats a request whose connection was lost, as a client does. */
  async function write(method: string, target: string, body: unknown, lost: () => void): Promise<number> {
    for (;;) {
      try {
        return (await apiRequest(pki, proxy.port, method, target, body)).status;
      } catch {
        lost();
        await sleep(20);
      }
    }
  }

  async function run(end: 'stop' | 'kill') {
    const target = `${MAPS}/followed`;
    const map = (n: number) => ({ metadata: { name: 'followed' }, data: { n: String(n) } });
    assert.equal((await apiRequest(pki, proxy.port, 'POST', MAPS, map(0))).status, 201);
    const writtenAt = new Map<number, number>();
    const informers = Array.from({ length: INFORMERS }, () => follow(writtenAt));
    await Promise.all(informers.map(({ informer }) => informer.start()));
    const refused: string[] = [];
    let lost = 0;
    let n = 0;
    let last = Number.POSITIVE_INFINITY;
    const writing = (async () => {
      while (n < last) {
        n++;
        const status = await write('PUT', target, map(n), () => lost++);
        writtenAt.set(n, performance.now());
        if (status !== 200) refused.push(`${n}: ${status}`);
        await sleep(WRITE_EVERY);
      }
    })();
    for (let i = 0; i < RESTARTS; i++) {
      await sleep(1000);
      const old = replicas[i % replicas.length]!;
      await old[end]();
      replicas[i % replicas.length] = await startReplica(pki, etcd.url, { profile: 'kubernetes', port: old.port });
    }
    await sleep(1000);
    last = n + 1;
    await writing;
    const caughtUp = () => informers.every(({ seen }) => seen.at(-1) === n);
    // If this never happens, mocha's time limit ends the test.
    while (!caughtUp()) await sleep(50);
    for (const followed of informers) {
      followed.ending = true;
      await followed.informer.stop();
    }
    await apiRequest(pki, proxy.port, 'DELETE', target);
    const lag = Math.round(Math.max(...informers.map((followed) => followed.lag)));
    const connects = informers.map((followed) => followed.connects);
    console.log(`      ${n} writes, ${lost} sent again; connects ${connects.join(' ')}; ${lag} ms behind at the most`);
    return { informers, refused, lost, n };
  }

  for (const end of ['stop', 'kill'] as const) {
    it(`costs informers a reconnect, but no list and no lost change (${end})`, async () => {
      const { informers, refused, lost, n } = await run(end);
      assert.deepEqual(refused, [], 'every write is done');
      const all = Array.from({ length: n + 1 }, (_, i) => i);
      for (const { seen, lists, connects, errors } of informers) {
        assert.equal(lists, 1, errors.join());
        if (end === 'stop') {
          assert.deepEqual(seen, all, 'nothing is skipped, and nothing comes twice');
          assert.deepEqual(errors, []);
          assert.ok(connects <= 1 + RESTARTS, `${connects} connections`);
        } else {
          // The server may have executed an attempt without an answer, and also the next attempt.
          assert.deepEqual([...new Set(seen)], all, 'nothing is skipped');
        }
      }
      if (end === 'stop') assert.equal(lost, 0, 'no write loses its connection');
    });
  }
});
