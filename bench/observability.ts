import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TraceCollector } from '#server/testing/trace-collector.ts';
import { Client } from './client.ts';
import { repeat, turns } from './measure.ts';
import { pairedChange } from './paired-change.ts';
import { cpuMs } from './process-usage.ts';
import { type Replica, Stage } from './stage.ts';

/**
 * Measures the cost of metrics, slow-request logs and traces: `node bench/observability.ts` (two minutes). It measures
 * a scrape of many series (processor time, and how long the event loop stands still). It also measures a GET and a
 * create without logs of slow requests, with traces of one request in a million, and with traces of all. `SERIES`,
 * `SCRAPES`, `COUNT` (0: no requests) and `ROUNDS` make it smaller.
 */

const SERIES = Number(process.env['SERIES'] ?? 20_000);
const SCRAPES = Number(process.env['SCRAPES'] ?? 20);
const COUNT = Number(process.env['COUNT'] ?? 400);
const ROUNDS = Number(process.env['ROUNDS'] ?? 10);
const GOAL_MS = 30;
const GOAL_STRETCH_MS = 10;
const MAPS = '/api/v1/namespaces/default/configmaps';

const lines = (text: string): number => text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;

/** Sends all kinds of requests for every built-in resource, so that each creates series, until there are enough. */
async function fillFamilies(client: Client): Promise<number> {
  const get = async (target: string) => JSON.parse((await client.call('GET', target, { text: true })).text);
  const groups = ((await get('/apis')) as { groups: { versions: { groupVersion: string }[] }[] }).groups;
  const roots = [
    '/api/v1',
    ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`)),
  ];
  const requests: (readonly [method: string, target: string])[] = [];
  for (const root of roots) {
    const { resources } = (await get(root)) as { resources: { name: string; namespaced: boolean }[] };
    for (const { name, namespaced } of resources) {
      const [plural = '', below = ''] = name.split('/');
      const all = `${root}/${namespaced ? 'namespaces/default/' : ''}${plural}`;
      const one = `${all}/none${below === '' ? '' : `/${below}`}`;
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) requests.push([method, one]);
      if (below === '') requests.push(['GET', all], ['POST', all], ['GET', `${root}/${plural}`]);
    }
  }
  for (;;) {
    const some = requests.splice(0, 100);
    await repeat(some.length, (n) => {
      const [method, target] = some[n]!;
      return client.call(method, target, method === 'GET' ? {} : { body: {} }).catch(() => {});
    });
    const series = lines((await client.call('GET', '/metrics', { text: true })).text);
    if (series >= SERIES || requests.length === 0) return series;
  }
}

async function scrapes(stage: Stage, etcd: string): Promise<void> {
  const replica = await stage.startServer(etcd);
  const client = new Client(stage.pki, replica.port, 16);
  const series = await fillFamilies(client);
  await sleep(3000);
  console.log(`a scrape of ${series} series, of which ${SERIES} were wanted:`);
  for (const [what, headers] of [
    ['plain', {}],
    ['compressed', { 'Accept-Encoding': 'gzip' }],
  ] as const) {
    const costs: number[] = [];
    const from = Date.now();
    for (let n = 0; n < SCRAPES; n++) {
      const before = cpuMs(replica.pid);
      await client.call('GET', '/metrics', { headers });
      costs.push(cpuMs(replica.pid) - before);
      await sleep(300);
    }
    costs.sort((a, b) => a - b);
    await sleep(500);
    const [least, median] = [costs[0]!, costs[costs.length >> 1]!].map((cost) => cost.toFixed(1));
    const noted = replica.longestStretch(from);
    const stretch = noted === 0 ? 'not among the twenty longest of the process' : `${noted.toFixed(1)} ms`;
    console.log(`  ${what}: ${least} ms of processor time at the least, ${median} in the middle (goal ${GOAL_MS});`);
    console.log(`    the longest stretch without a turn: ${stretch} (goal ${GOAL_STRETCH_MS})`);
  }
  client.close();
  await replica.process.stop();
}

/** The flag for the number of recorded requests in a million. */
function tracing(stage: Stage, port: number, samplingRatePerMillion: number): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'traces-')), 'traces.json');
  const apiVersion = stage.naming.apiVersion('apiserver.config', 'v1alpha1');
  const endpoint = `127.0.0.1:${port}`;
  writeFileSync(file, JSON.stringify({ kind: 'TracingConfiguration', apiVersion, endpoint, samplingRatePerMillion }));
  return `--tracing-config-file=${file}`;
}

async function requests(stage: Stage, etcd: string): Promise<void> {
  const collector = await new TraceCollector().start();
  const variants: readonly (readonly [what: string, flags: readonly string[]])[] = [
    ['as it is by default', []],
    ['with --slow-request-threshold=0', ['--slow-request-threshold=0']],
    ['tracing none', [tracing(stage, collector.port, 0)]],
    ['tracing all', [tracing(stage, collector.port, 1_000_000)]],
  ];
  const replicas: Replica[] = [];
  for (const [, flags] of variants) replicas.push(await stage.startServer(etcd, ...flags));
  const clients = replicas.map(({ port }) => new Client(stage.pki, port, 16));
  await clients[0]!.call('POST', MAPS, { body: { metadata: { name: 'asked' }, data: { text: 'x'.repeat(900) } } });
  let made = 0;
  const kinds = [
    ['GET of any version', (client: Client) => client.call('GET', `${MAPS}/asked?resourceVersion=0`, {})],
    ['create', (client: Client) => client.call('POST', MAPS, { body: { metadata: { name: `made-${made++}` } } })],
  ] as const;
  for (const [what, request] of kinds) {
    const sent = replicas.map(({ pid }, n) => ({ pid, request: () => request(clients[n]!) }));
    const measured = await turns(sent, 8, COUNT, ROUNDS);
    const costs = measured.map((rounds) => rounds.map((round) => round.cpuMs));
    console.log(`${what}: ${Math.min(...costs[0]!).toFixed(3)} ms of processor time ${variants[0]![0]}`);
    for (const [n, [variant]] of variants.entries()) {
      if (n === 0) continue;
      const { mean, low, high } = pairedChange(costs[0]!, costs[n]!);
      const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
      console.log(`  ${variant}: ${percent(mean)} (${percent(low)} to ${percent(high)})`);
    }
  }
  for (const client of clients) client.close();
  collector.stop();
}

const stage = new Stage(undefined, true);
try {
  const etcd = await stage.startEtcd();
  await scrapes(stage, etcd);
  if (COUNT > 0) await requests(stage, etcd);
} finally {
  await stage.stop();
}
process.exit();
