import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiRequest } from '#scripts/api-request.ts';
import { type EtcdContainerCluster, startEtcdContainerCluster } from './etcd-container.ts';
import { type LoadBalancer, startLoadBalancer } from './load-balancer.ts';
import { type Replica, startReplica, temporaryPki } from './replica.ts';
import { openWatch } from './watch-stream.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

interface Listed {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

describe('three replicas behind a load balancer, with three members of etcd', () => {
  const pki = temporaryPki();
  let etcd: EtcdContainerCluster;
  let balancer: LoadBalancer;
  let replicas: Replica[] = [];
  const stops: (() => Promise<unknown>)[] = [];

  before(async () => {
    etcd = await startEtcdContainerCluster();
    stops.push(() => etcd.stop());
    stops.push(() => Promise.all(replicas.map((replica) => replica.stop())));
    // The programs start one after the other, because each takes the next free port.
    for (let i = 0; i < 3; i++) replicas = [...replicas, await start()];
    balancer = await startLoadBalancer(replicas.map(({ port }) => port));
    stops.push(() => balancer.stop());
    await served();
  });

  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  /** A replica that waits before it ends, so that the load balancer has time to stop using it. */
  function start(port?: number): Promise<Replica> {
    const flags = ['--shutdown-delay-duration=3s'];
    return startReplica(pki, etcd.urls, port === undefined ? { flags } : { flags, port });
  }

  async function replace(index: number, how: 'stop' | 'kill'): Promise<void> {
    const old = replicas[index]!;
    await old[how]();
    replicas[index] = await start(old.port);
  }

  /** Sends one request over a new connection, to the replica that the load balancer chooses. */
  function request(method: string, path: string, body?: unknown) {
    return apiRequest(pki, balancer.port, method, path, body);
  }

  async function served(): Promise<void> {
    for (let n = 0; n < 100; n++) {
      if ((await request('GET', '/readyz').catch(() => undefined))?.status === 200) return;
      await sleep(100);
    }
    throw new Error('nothing is served by the load balancer');
  }

  function configMap(name: string, n = 0, resourceVersion?: string) {
    return {
      metadata: { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      data: { n: String(n) },
    };
  }

  it('show acknowledged writes at every replica immediately', async () => {
    for (let n = 0; n < 30; n++) {
      const [writer, ...readers] = [0, 1, 2].map((i) => replicas[(n + i) % 3]!);
      const created = await writer!.request('POST', configMaps, configMap(`at-once-${n}`));
      assert.equal(created.status, 201, created.body);
      for (const reader of readers) {
        const read = await reader.request('GET', `${configMaps}/at-once-${n}`);
        assert.equal(read.body, created.body);
      }
      const removed = await readers[0]!.request('DELETE', `${configMaps}/at-once-${n}`);
      assert.equal(removed.status, 200, removed.body);
      assert.equal((await writer!.request('GET', `${configMaps}/at-once-${n}`)).status, 404);
    }
  });

  it('continue a list with the same token at any replica, even during changes', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `page-${String(n).padStart(2, '0')}`);
    for (const name of names) await request('POST', configMaps, configMap(name));
    const seen: string[] = [];
    let token = '';
    for (let n = 0; n === 0 || token !== ''; n++) {
      const page = await replicas[n % 3]!.request('GET', `${configMaps}?limit=3&continue=${token}`);
      assert.equal(page.status, 200, page.body);
      const { metadata, items } = JSON.parse(page.body) as Listed;
      seen.push(...items.map((item) => item.metadata.name).filter((name) => name.startsWith('page-')));
      token = metadata.continue ?? '';
      await request('DELETE', `${configMaps}/${names[(n * 3 + 5) % 20]}`);
      if (n === 3) await replace(1, 'kill');
    }
    assert.deepEqual(seen, names);
  });

  it('let one of several parallel updates win, so that no count is lost', async () => {
    await request('POST', configMaps, configMap('counter'));
    const increments = 15;
    const count = async (replica: Replica) => {
      for (let done = 0; done < increments; ) {
        const { metadata, data } = JSON.parse((await replica.request('GET', `${configMaps}/counter`)).body);
        const body = configMap('counter', Number(data.n) + 1, metadata.resourceVersion);
        const { status } = await replica.request('PUT', `${configMaps}/counter`, body);
        assert.ok(status === 200 || status === 409, `PUT answers ${status}`);
        if (status === 200) done++;
      }
    };
    await Promise.all(replicas.map(count));
    const { metadata, data } = JSON.parse((await request('GET', `${configMaps}/counter`)).body);
    assert.equal(Number(data.n), 3 * increments);
    const last = configMap('counter', 0, metadata.resourceVersion);
    const all = await Promise.all(replicas.map((replica) => replica.request('PUT', `${configMaps}/counter`, last)));
    assert.deepEqual(all.map(({ status }) => status).sort(), [200, 409, 409], 'they met');
  });

  it('continue a watch when each replica is killed', async () => {
    const list = JSON.parse((await request('GET', configMaps)).body) as Listed;
    let version = list.metadata.resourceVersion;
    const seen: string[] = [];
    let last = Number.POSITIVE_INFINITY;
    let cuts = -1;
    const watching = (async () => {
      while (seen.length < last) {
        cuts++;
        const query = `watch=1&resourceVersion=${version}&labelSelector=watched`;
        const watch = await openWatch({ pki, port: balancer.port }, `${configMaps}?${query}`).catch(() => undefined);
        try {
          while (watch !== undefined && seen.length < last) {
            const { type, object } = await watch.next();
            assert.equal(type, 'ADDED', JSON.stringify(object));
            seen.push(object.metadata.name!);
            version = object.metadata.resourceVersion!;
          }
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          await sleep(50);
        } finally {
          watch?.close();
        }
      }
    })();
    const written: string[] = [];
    const writing = (async () => {
      while (written.length < last) {
        const name = `watched-${written.length}`;
        const body = { metadata: { name, labels: { watched: 'yes' } } };
        const answer = await request('POST', configMaps, body).catch(() => undefined);
        // 409 means that an earlier attempt succeeded, although its connection ended with its replica.
        if (answer?.status === 201 || answer?.status === 409) written.push(name);
        await sleep(50);
      }
    })();
    while (seen.length === 0) await sleep(50);
    for (const index of [0, 1, 2]) {
      await sleep(500);
      await replace(index, 'kill');
    }
    last = written.length + 5;
    await Promise.all([writing, watching]);
    assert.deepEqual(seen, written);
    assert.ok(cuts > 0, 'the watch was cut');
  });

  it('accept writes soon after the etcd leader has died', async () => {
    const names: string[] = [];
    let stop = false;
    let silence = 0;
    const writing = (async () => {
      let last = performance.now();
      for (let n = 0; !stop; n++) {
        const name = `leader-${n}`;
        const answer = await request('POST', configMaps, configMap(name)).catch(() => undefined);
        if (answer?.status === 201) {
          names.push(name);
          silence = Math.max(silence, performance.now() - last);
          last = performance.now();
        }
        await sleep(20);
      }
    })();
    await sleep(500);
    const killed = await etcd.killLeader();
    const before = names.length;
    for (let n = 0; n < 200 && names.length < before + 20; n++) await sleep(100);
    etcd.restart(killed);
    await sleep(1000);
    stop = true;
    await writing;
    assert.ok(names.length >= before + 20, 'writes go on with two members');
    assert.ok(silence < 15_000, `nothing was written for ${Math.round(silence)} ms`);
    for (const replica of replicas) {
      const { items } = JSON.parse((await replica.request('GET', configMaps)).body) as Listed;
      const stored = new Set(items.map(({ metadata }) => metadata.name));
      assert.deepEqual(
        names.filter((name) => !stored.has(name)),
        [],
        'an acknowledged write is lost',
      );
    }
  });

  it('serve without a refusal during a rolling restart', async () => {
    const statuses = new Map<string, number>();
    let stop = false;
    let reconnects = 0;
    /** Sends the request again when the connection is lost, as clients do. */
    const ask = async (method: string, path: string, body?: unknown) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await request(method, path, body);
        } catch (error) {
          reconnects++;
          if (attempt === 3) throw error;
        }
      }
    };
    const load = async (client: number) => {
      for (let n = 0; !stop; n++) {
        const path = `${configMaps}/rolling-${client}-${n}`;
        for (const [method, target, body, expected] of [
          ['POST', configMaps, configMap(`rolling-${client}-${n}`), [201, 409]],
          ['GET', path, undefined, [200]],
          ['PUT', path, configMap(`rolling-${client}-${n}`, 1), [200]],
          ['DELETE', path, undefined, [200, 404]],
        ] as const) {
          const { status, body: text } = await ask(method, target, body);
          if (!(expected as readonly number[]).includes(status))
            throw new Error(`${method} answers ${status}: ${text}`);
          statuses.set(`${method} ${status}`, (statuses.get(`${method} ${status}`) ?? 0) + 1);
        }
        await sleep(10);
      }
    };
    const clients = Promise.all([0, 1, 2].map(load));
    const restarts = (async () => {
      for (const index of [0, 1, 2]) await replace(index, 'stop');
      stop = true;
    })();
    await Promise.all([clients, restarts]);
    assert.ok((statuses.get('POST 201') ?? 0) > 20, 'there was load');
    assert.ok(reconnects <= 10, `${reconnects} connections were lost`);
  });
});
