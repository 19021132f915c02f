import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, connect } from '#client/client.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { ConfigMap } from '#schema/generated/core.v1.ts';
import { Client as Load } from './client.ts';
import { type Replica, Stage } from './stage.ts';

/**
 * Measures the delay between the answer to a write and its event at a watcher, on the replica that received the write
 * and on another replica. A controller that reads its own copy right after a write sees this delay. Usage:
 * `WRITES=2000 LOAD=16 node bench/event-lag.ts`. LOAD is a number of clients in a separate process, which write other
 * objects of the same kind to the first replica.
 */

const WRITES = Number(process.env['WRITES'] ?? 1_000);
const LOAD = Number(process.env['LOAD'] ?? 16);
/** The time between two writes, in milliseconds: enough for all effects of a write on an idle machine. */
const PAUSE_MS = 5;
const NAMESPACE = 'default';

/** When each version was answered for, and when it came to a watcher, by `performance.now()`. */
type Times = Map<string, number>;

const stage = new Stage();

function clientOf(replica: Replica): Promise<Client> {
  const { pki, naming } = stage;
  return connect(
    {
      cluster: { server: `https://127.0.0.1:${replica.port}`, ca: { file: pki.file('ca.crt') } },
      user: { clientCertificate: { file: pki.file('admin.crt') }, clientKey: { file: pki.file('admin.key') } },
    },
    { naming, qps: 0 },
  );
}

/** Notes when each event of one object comes. Resolves when the watch is open. */
async function watchObject(client: Client, name: string, resourceVersion: string, signal: AbortSignal): Promise<Times> {
  const times: Times = new Map();
  const options = { fieldSelector: `metadata.name=${name}`, resourceVersion, signal };
  const events = await client.resource(coreV1.configmaps).in(NAMESPACE).watch(options);
  const read = async (): Promise<void> => {
    for await (const { object } of events) times.set(object.metadata.resourceVersion!, performance.now());
  };
  read().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return times;
}

/** The time from answer to event of each write, in milliseconds and in order; negative if the event came first. */
function lags(answered: Times, seen: Times): number[] {
  const all = [...answered].map(([version, at]) => (seen.get(version) ?? Number.POSITIVE_INFINITY) - at);
  return all.sort((a, b) => a - b);
}

function row(where: string, what: string, sorted: readonly number[]): string {
  const at = (part: number): string =>
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!.toFixed(2);
  const after = (limit: number): number => sorted.filter((lag) => lag > limit).length;
  return `| ${where} | ${what} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${after(0)} | ${after(1)} | ${after(10)} |`;
}

/** Writes one object again and again, watched on all replicas. */
async function measure(what: string, replicas: readonly Replica[]): Promise<string[]> {
  const clients = await Promise.all(replicas.map(clientOf));
  const stopping = new AbortController();
  const maps = clients[0]!.resource(coreV1.configmaps).in(NAMESPACE);
  const name = `lag-${Math.random().toString(36).slice(2)}`;
  let object = (await maps.create({ metadata: { name }, data: { n: '-1' } })) as ConfigMap;
  const from = object.metadata.resourceVersion!;
  const watches = await Promise.all(clients.map((client) => watchObject(client, name, from, stopping.signal)));
  const answered: Times = new Map();
  for (let n = 0; n < WRITES; n++) {
    object = (await maps.update({ metadata: object.metadata, data: { n: String(n) } })) as ConfigMap;
    answered.set(object.metadata.resourceVersion!, performance.now());
    await sleep(PAUSE_MS);
  }
  for (let tries = 0; tries < 500 && watches.some((seen) => seen.size < answered.size); tries++) await sleep(20);
  stopping.abort();
  return watches.map((seen, n) =>
    row(n === 0 ? 'the replica of the write' : 'another replica', what, lags(answered, seen)),
  );
}

/** Writes until it is killed. It is a separate process, so that it does not delay the measuring process. */
async function load(port: number, folder: string): Promise<void> {
  const { readFileSync } = await import('node:fs');
  const pki = { read: (file: string) => readFileSync(`${folder}/${file}`, 'utf8') };
  const client = new Load(pki as Stage['pki'], port, LOAD);
  const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
  const write = async (writer: number): Promise<void> => {
    const name = `load-${process.pid}-${writer}`;
    await client.call('POST', path, { body: { metadata: { name } } });
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    for (let n = 0; ; n++) await client.call('PATCH', `${path}/${name}`, { headers, body: { data: { n: String(n) } } });
  };
  await Promise.all(Array.from({ length: LOAD }, (_, writer) => write(writer)));
}

const [mode, port, folder] = process.argv.slice(2);
if (mode === 'load') await load(Number(port), folder!);
else {
  try {
    const etcd = await stage.startEtcd();
    const replicas = [await stage.startServer(etcd), await stage.startServer(etcd)];
    await measure('warming up', replicas);
    const rows = await measure('at rest', replicas);
    const args = [import.meta.filename, 'load', String(replicas[0]!.port), stage.pki.directory];
    const writers = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    try {
      await sleep(3_000);
      rows.push(...(await measure(`beside ${LOAD} clients that write`, replicas)));
    } finally {
      writers.kill();
    }
    process.stdout.write(
      [
        '| watcher | | median, ms | 99% | longest | after the answer | by 1 ms | by 10 ms |',
        '|---|---|---|---|---|---|---|---|',
        ...rows,
        `${WRITES} writes each`,
        '',
      ].join('\n'),
    );
  } finally {
    await stage.stop();
  }
}
