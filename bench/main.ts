import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { defaultRelease } from '#base/release/release.ts';
import type { Pki } from '#scripts/pki.ts';
import { freePort, waitFor } from '#scripts/processes.ts';
import { pluginsOf } from '#server/admission/plugin-table.ts';
import { Client } from './client.ts';
import { inRounds, inTurns, measure, type Request, type Row, repeat } from './measure.ts';
import { pod } from './pod.ts';
import { POLICY_SIZE, storePolicy } from './policy-cost.ts';
import { cpuMs, residentMb } from './process-usage.ts';
import { proxyCost } from './proxy-cost.ts';
import { loadPods, NAMESPACE, onePod, reads, type Work, writes } from './requests.ts';
import { Stage } from './stage.ts';
import { watchCost } from './watch-cost.ts';

const PODS = Number(process.env['PODS'] ?? 5000);
const SCALE = Number(process.env['SCALE'] ?? 1);
const WATCHERS = Number(process.env['WATCHERS'] ?? 500);
const argument = (name: string): string | undefined =>
  process.argv
    .slice(2)
    .find((arg) => arg.startsWith(`--${name}=`))
    ?.slice(name.length + 3);
/** Texts of `--only=GET,create`: a row is measured if its name contains one of them. Without the flag all rows are. */
const only = argument('only')?.split(',');
/** A folder for processor profiles of the server (`--profile=DIR`). */
const profiles = argument('profile');
const stage = new Stage(profiles);
const { naming, pki } = stage;
const rows: Row[] = [];

function wanted(...work: string[]): boolean {
  return only === undefined || only.some((text) => work.some((name) => name.includes(text)));
}

async function row(
  work: string,
  goal: number | undefined,
  pid: number,
  clients: number,
  count: number,
  request: Request,
): Promise<void> {
  if (!wanted(work)) return;
  const measured = await inRounds(pid, clients, Math.max(24, Math.round(count * SCALE)), request);
  rows.push({ work, ...measured, ...(goal === undefined ? {} : { goal }) });
  process.stderr.write(`${work}: ${measured.cpuMs.toFixed(3)} ms\n`);
}

async function floors(etcd: string): Promise<void> {
  const port = await freePort(17443);
  const bare = stage.start('floor-https', process.execPath, [
    path.join(import.meta.dirname, 'floors/https-server.ts'),
    ...[String(port), pki.file('server.crt'), pki.file('server.key')],
  ]);
  const client = new Client(pki, port, 16);
  await waitFor(bare, 10, () =>
    client.call('GET', '/').then(
      () => true,
      () => false,
    ),
  );
  await row('floor: bare https, 3 KB', undefined, bare.pid, 16, 20_000, () => client.call('GET', '/'));
  await row('floor: bare https, 16 MB', undefined, bare.pid, 4, 100, () => client.call('GET', '/large'));
  await watchRow('floor: bare https', undefined, bare.pid, port, '/watch', () => client.call('PUT', '/'));
  rows.push({ work: 'floor: bare https, memory after that', note: `${residentMb(bare.pid).toFixed(0)} MB` });
  client.close();
  await bare.stop();

  const plain = await freePort(18443);
  const raw = stage.start('floor-etcd', process.execPath, [
    path.join(import.meta.dirname, 'floors/etcd-client.ts'),
    ...[String(plain), etcd],
  ]);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const call: Request = () =>
    new Promise((resolve, reject) => {
      http
        .get({ host: '127.0.0.1', port: plain, agent }, (response) =>
          response.resume().on('end', () => resolve(undefined)),
        )
        .on('error', reject);
    });
  await waitFor(raw, 10, () =>
    call(0).then(
      () => true,
      () => false,
    ),
  );
  await row('floor: etcd3 transaction, 3 KB', undefined, raw.pid, 16, 5000, call);
  agent.destroy();
  await raw.stop();
}

/** The engine compiles frequent code during some thousands of requests of a kind, which may double their cost. */
const WARM = Math.round(10_000 * SCALE);

/** Measures a server's memory: of the whole process, and of the engine by its own metrics. */
async function memory(work: string, client: Client, pid: number, goal = ''): Promise<void> {
  const { text } = await client.call('GET', '/metrics', { text: true });
  const megabytes = (name: string): string =>
    (Number(new RegExp(`^nodejs_${name}_bytes (\\S+)`, 'm').exec(text)?.[1] ?? 0) / (1 << 20)).toFixed(0);
  const resident = residentMb(pid).toFixed(0);
  const heap = `heap ${megabytes('heap_size_used')} of ${megabytes('heap_size_total')}`;
  rows.push({ work, note: `${resident} MB${goal}; ${heap}, buffers ${megabytes('external_memory')}` });
}

async function measureAll(work: readonly Work[], pid: number): Promise<void> {
  for (const { work: name, goal, clients, count, request, warming } of work) {
    if (!wanted(name)) continue;
    if (warming !== undefined) await repeat(WARM, warming);
    await row(name, goal, pid, clients, count, request);
  }
}

async function watchRow(
  work: string,
  goal: number | undefined,
  pid: number,
  port: number,
  path: string,
  write: Request,
): Promise<void> {
  if (!wanted('watch event')) return;
  const load = { pid, port, path, watchers: WATCHERS, events: Math.round(300 * SCALE), write };
  const { cpuMs: cpu, delivered, kbPerWatcher } = await watchCost(pki, load);
  rows.push({
    work: `${work}: watch event to one of ${WATCHERS} watchers`,
    ...(goal === undefined ? {} : { goal }),
    cpuMs: cpu,
    requests: delivered,
    note: `${delivered} events delivered; ${kbPerWatcher.toFixed(0)} KB for each watch`,
  });
}

async function watchers(client: Client, pid: number, port: number): Promise<void> {
  const path = `${NAMESPACE}/configmaps`;
  const body = (n: number): object => ({ metadata: { name: 'c0' }, data: { w: String(n), text: 'x'.repeat(500) } });
  await watchRow('JSON', 0.011, pid, port, `${path}?watch=1&resourceVersion=0`, (n) =>
    client.call('PUT', `${path}/c0`, { body: body(n) }),
  );
}

/** The cost of admission: creates on two replicas, one of them without plug-ins. */
async function admission(etcd: string): Promise<void> {
  const work = 'create a pod, in turns';
  if (!wanted(work)) return;
  const plugins = pluginsOf(defaultRelease)
    .filter(({ byDefault }) => byDefault === true)
    .map(({ name }) => name);
  const servers = [
    await stage.startServer(etcd),
    await stage.startServer(etcd, `--disable-admission-plugins=${plugins.join(',')}`),
  ];
  const clients = servers.map(({ port }) => new Client(pki, port, 16));
  let made = 10 * PODS;
  const requests = servers.map(({ pid }, n) => ({
    pid,
    request: () => clients[n]!.call('POST', `${NAMESPACE}/pods`, { body: pod(made++) }),
  }));
  // The server must be as warm as after the load.
  for (const { pid, request } of requests) await measure(pid, 16, PODS, request);
  const [admitted, without] = await inTurns(requests, Math.max(10, Math.round(1000 * SCALE)));
  const note = `${(admitted!.cpuMs - without!.cpuMs).toFixed(3)} ms more`;
  rows.push({ work: `${work}, default admission`, ...admitted!, goal: without!.cpuMs + 0.05, note });
  rows.push({ work: `${work}, without admission`, ...without! });
  for (const client of clients) client.close();
  await Promise.all(servers.map(({ process }) => process.stop()));
}

/** The cost of stored policy: the same reads by a user of one group, with everything allowed and with roles. */
async function policy(etcd: string): Promise<void> {
  const work = 'GET by a user of the group dev';
  if (!wanted(work)) return;
  const servers = [await stage.startServer(etcd, '--authorization-mode=AlwaysAllow'), await stage.startServer(etcd)];
  const admin = new Client(pki, servers[0]!.port, 16);
  await storePolicy(admin, `/apis/${naming.group('rbac.authorization')}/v1/namespaces/bench`, 'dev');
  admin.close();
  const [, token = ''] = /^([^,]*),bob,/m.exec(pki.read('tokens.csv').toString()) ?? [];
  const clients = servers.map(({ port }) => new Client(pki, port, 16, token));
  const requests = servers.map(({ pid }, n) => ({
    pid,
    request: (i: number) => clients[n]!.call('GET', `${onePod(i, PODS)}?resourceVersion=0`),
  }));
  const [allowed, decided] = await inTurns(requests, Math.max(100, Math.round(3000 * SCALE)));
  rows.push({ work: `${work}, everything allowed`, ...allowed! });
  const note = `${(decided!.cpuMs - allowed!.cpuMs).toFixed(3)} ms more`;
  rows.push({ work: `${work}, ${POLICY_SIZE} roles and bindings`, ...decided!, goal: allowed!.cpuMs + 0.02, note });
  for (const client of clients) client.close();
  await Promise.all(servers.map(({ process }) => process.stop()));
}

function print(): void {
  const number = (value: number | undefined, digits: number): string =>
    value === undefined ? '' : value.toFixed(digits);
  console.log('| work | CPU ms | goal | p50 ms | p99 ms | a second | note |');
  console.log('|---|---|---|---|---|---|---|');
  for (const { work, cpuMs: cpu, goal, p50, p99, perSecond, note = '' } of rows) {
    console.log(
      `| ${work} | ${number(cpu, 3)} | ${typeof goal === 'number' ? +goal.toFixed(3) : ''} | ${number(p50, 2)} | ${number(p99, 2)} | ${number(perSecond, 0)} | ${note} |`,
    );
  }
}

async function run(etcd: string, folder: Pki): Promise<void> {
  await floors(etcd);
  const server = await stage.startServer(etcd);
  const client = new Client(folder, server.port, 16);
  await memory('memory, empty', client, server.pid);
  await loadPods(client, PODS);
  await memory(`memory with ${PODS} pods`, client, server.pid);
  await measureAll(await reads(client, naming, PODS), server.pid);
  await measureAll(await writes(client, PODS), server.pid);
  await watchers(client, server.pid, server.port);
  await memory('memory after all of it', client, server.pid, ' (goal 250)');
  client.close();
  await server.process.stop();
  await restart(etcd);
  await admission(etcd);
  await policy(etcd);
  if (wanted('proxied')) rows.push(...(await proxyCost(stage, etcd, { scale: SCALE, watchers: WATCHERS })));
}

const STARTS = 5;

/**
 * Measures the time until a replica serves the stored objects, its memory then, and its memory after it has read ahead.
 * The quickest of several starts counts. `PODS=20000 --only=start` measures a larger store.
 */
async function restart(etcd: string): Promise<void> {
  let [best, note] = [Number.POSITIVE_INFINITY, ''];
  for (let round = 0; round < STARTS; round++) {
    const started = performance.now();
    const { pid, port, process: server } = await stage.startServer(etcd);
    const seconds = (performance.now() - started) / 1000;
    const cpu = (cpuMs(pid) / 1000).toFixed(2);
    const resident = residentMb(pid).toFixed(0);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const later = residentMb(pid).toFixed(0);
    const client = new Client(pki, port, 1);
    const { text } = await client.call('GET', '/metrics', { text: true });
    const stored = Number(/^watch_cache_bytes (\S+)/m.exec(text)?.[1] ?? 0) / (1 << 20);
    client.close();
    await server.stop();
    if (seconds > best) continue;
    best = seconds;
    const goal = `goal ${PODS > 5000 ? 2 : 1} s, ${(130 + 1.5 * stored).toFixed(0)} MB`;
    const held = `${resident} MB, then ${later} MB for ${stored.toFixed(0)} MB of objects`;
    note = `${seconds.toFixed(2)} s (processor ${cpu} s), ${held} (${goal})`;
  }
  rows.push({ work: `start to ready, ${PODS} pods loaded before`, note });
}

try {
  await run(await stage.startEtcd(), pki);
  print();
  if (process.env['BENCH_JSON'] !== undefined)
    writeFileSync(process.env['BENCH_JSON'], JSON.stringify(rows, undefined, 1));
} finally {
  await stage.stop();
}
