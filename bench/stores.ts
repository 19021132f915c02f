/**
 * Compares the stores: `node bench/stores.ts`. First it measures transactions alone on etcd (with its syncs), on a file
 * and in memory, on the same disk. Then it measures creates through a replica on each store. The stores take short
 * turns, so that other work on the machine affects all alike. Processor time of etcd is that of the etcd process.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DataStore } from '#storage/data-store.ts';
import { openEmbeddedStore } from '#storage-embedded/embedded-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import { Client } from './client.ts';
import { cpuMs } from './process-usage.ts';
import { Stage } from './stage.ts';

const TURNS = Number(process.env['TURNS'] ?? 10);
const CLIENTS = 16;
const CREATES = 400;
const MAPS = '/api/v1/namespaces/default/configmaps';
const VALUE = Buffer.alloc(1_000, 'v');

/** The cost of one write: in milliseconds of processor time of this process or the replica, and of etcd. */
interface Cost {
  readonly perSecond: number;
  readonly own: number;
  readonly etcd: number;
}

async function cost(pid: number, etcd: number, count: number, clients: number, write: () => Promise<unknown>) {
  const [own, other, started] = [cpuMs(pid), cpuMs(etcd), performance.now()];
  let left = count;
  const client = async () => {
    while (left-- > 0) await write();
  };
  await Promise.all(Array.from({ length: clients }, client));
  const ms = performance.now() - started;
  return {
    perSecond: (count / ms) * 1_000,
    own: (cpuMs(pid) - own) / count,
    etcd: (cpuMs(etcd) - other) / count,
  } satisfies Cost;
}

/** The turn in the middle by its processor time, and the quickest. */
function summary(costs: readonly Cost[]): string {
  const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
  const own = middle(costs.map((one) => one.own));
  const etcd = middle(costs.map((one) => one.etcd));
  const most = Math.max(...costs.map(({ perSecond }) => perSecond));
  return `${most.toFixed(0)} | ${own.toFixed(3)} | ${etcd.toFixed(3)} | ${(own + etcd).toFixed(3)}`;
}

const folder = mkdtempSync(path.join(tmpdir(), 'bench-stores-'));
const stage = new Stage();
try {
  const url = await stage.startEtcd();
  const etcd = stage.etcdPid;
  const stores: [string, DataStore][] = [
    ['etcd', createEtcdStore({ endpoints: [url], prefix: '/bench' })],
    ['file', await openEmbeddedStore({ file: path.join(folder, 'alone') })],
    ['memory', await openEmbeddedStore({ file: undefined })],
  ];
  console.log(
    '| store | writers | transactions a second | ms here | ms of etcd | together |\n|---|---|---|---|---|---|',
  );
  let made = 0;
  for (const [clients, count] of [
    [1, 200],
    [64, 3_000],
  ] as const) {
    const costs = stores.map((): Cost[] => []);
    for (let turn = 0; turn < TURNS; turn++)
      for (const [i, [, store]] of stores.entries())
        costs[i]!.push(
          await cost(process.pid, i === 0 ? etcd : process.pid, count, clients, () =>
            store.create(`/bench/a/${made++}`, VALUE),
          ),
        );
    for (const [i, [name]] of stores.entries())
      console.log(
        `| ${name} | ${clients} | ${summary(costs[i]!.map((one) => (i === 0 ? one : { ...one, etcd: 0 })))} |`,
      );
  }
  for (const [, store] of stores) await store.close();

  const endpoints = [
    ['etcd', url],
    ['file', `sqlite://${folder}/store`],
    ['memory', 'memory:'],
  ] as const;
  const replicas = [];
  for (const [name, endpoint] of endpoints) {
    const { pid, port } = await stage.startServer(endpoint);
    replicas.push({ name, pid, client: new Client(stage.pki, port, CLIENTS), costs: [] as Cost[] });
  }
  const map = () => ({ metadata: { name: `map-${made++}` }, data: { text: 'x'.repeat(700) } });
  for (let turn = -4; turn < TURNS; turn++)
    for (const { name, pid, client, costs } of replicas) {
      const one = await cost(pid, name === 'etcd' ? etcd : pid, CREATES, CLIENTS, () =>
        client.call('POST', MAPS, { body: map() }),
      );
      // the engine compiles frequent code in the first turns
      if (turn >= 0) costs.push(name === 'etcd' ? one : { ...one, etcd: 0 });
    }
  console.log('\n| replica on | creates a second | ms of the replica | ms of etcd | together |\n|---|---|---|---|---|');
  for (const { name, costs, client } of replicas) {
    console.log(`| ${name} | ${summary(costs)} |`);
    client.close();
  }
} finally {
  await stage.stop();
  rmSync(folder, { recursive: true });
}
