import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from './client.ts';
import { fill } from './fill.ts';
import { measure } from './measure.ts';
import { plot } from './plot.ts';
import { cpuMs, residentMb } from './process-usage.ts';
import { Stage } from './stage.ts';
import { watchCost } from './watch-cost.ts';

/** Measures how cost grows with the stored objects, and with the watchers: `docs/plots/growth.json`, and plots
 * beside it. With `--draw` only the plots, from that file. */

const OBJECTS = [1000, 3000, 10_000, 30_000, 100_000];
const WATCHERS = [10, 50, 200, 1000, 5000];
/** The number of objects with the selected label, for any number of all objects. */
const SELECTED = 50;
const OUT = path.resolve(import.meta.dirname, '../docs/plots');
const DATA = path.join(OUT, 'growth.json');
const MAPS = '/api/v1/namespaces/growth/configmaps';

/** The cost at one number of objects: processor time in milliseconds, memory in megabytes. */
interface ObjectsPoint {
  readonly objects: number;
  readonly startCpu: number;
  readonly startSeconds: number;
  readonly megabytes: number;
  readonly storedMegabytes: number;
  readonly get: number;
  readonly labels: number;
  readonly page: number;
  readonly list: number;
  readonly update: number;
}

interface WatchersPoint {
  readonly watchers: number;
  readonly event: number;
  readonly kilobytes: number;
}

interface Growth {
  readonly objects: readonly ObjectsPoint[];
  readonly watchers: readonly WatchersPoint[];
}

function nameOf(n: number): string {
  return `c-${String(n).padStart(6, '0')}`;
}

/** A config map as the API stores it. */
function stored(n: number): object {
  const labels = { app: n < SELECTED ? 'selected' : `app-${n % 200}`, tier: `tier-${n % 3}` };
  const metadata = {
    name: nameOf(n),
    namespace: 'growth',
    uid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels,
  };
  const data = { text: `${n} ${'x'.repeat(200)}` };
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata, data };
}

/** The objects `from` to `to`, by key. */
function* storedFrom(from: number, to: number): Iterable<readonly [string, object]> {
  for (let n = from; n < to; n++) yield [`core/configmaps/growth/${nameOf(n)}`, stored(n)];
}

async function withObjects(stage: Stage, etcd: string, objects: number): Promise<ObjectsPoint> {
  const started = performance.now();
  const { pid, port, process: server } = await stage.startServer(etcd);
  const startSeconds = (performance.now() - started) / 1000;
  const [startCpu, megabytes] = [cpuMs(pid), residentMb(pid)];
  const client = new Client(stage.pki, port, 16);
  const { text } = await client.call('GET', '/metrics', { text: true });
  const storedMegabytes = Number(/^watch_cache_bytes (\S+)/m.exec(text)?.[1] ?? 0) / (1 << 20);
  const cost = async (clients: number, count: number, call: (n: number) => Promise<unknown>): Promise<number> =>
    (await measure(pid, clients, count, call)).cpuMs;
  const one = (n: number): string => `${MAPS}/${nameOf((n * 7919) % objects)}`;
  const point = {
    objects,
    startCpu,
    startSeconds,
    megabytes,
    storedMegabytes,
    get: await cost(16, 3000, (n) => client.call('GET', one(n))),
    labels: await cost(16, 1000, () => client.call('GET', `${MAPS}?labelSelector=app%3Dselected`)),
    page: await cost(4, 200, () => client.call('GET', `${MAPS}?limit=500`)),
    list: await cost(4, Math.max(5, Math.round(100_000 / objects)), () => client.call('GET', MAPS)),
    update: await cost(16, 1000, (n) =>
      client.call('PUT', one(n), {
        body: { metadata: { name: nameOf((n * 7919) % objects) }, data: { n: String(n) } },
      }),
    ),
  };
  client.close();
  await server.stop();
  process.stderr.write(`${JSON.stringify(point)}\n`);
  return point;
}

async function withWatchers(stage: Stage, etcd: string): Promise<WatchersPoint[]> {
  const { pid, port, process: server } = await stage.startServer(etcd);
  const client = new Client(stage.pki, port, 1);
  const name = nameOf(0);
  const write = (n: number): Promise<unknown> =>
    client.call('PUT', `${MAPS}/${name}`, {
      body: { metadata: { name }, data: { n: String(n), text: 'x'.repeat(500) } },
    });
  const path = `${MAPS}?watch=1&fieldSelector=metadata.name%3D${name}`;
  const points: WatchersPoint[] = [];
  for (const watchers of WATCHERS) {
    const events = Math.max(20, Math.min(300, Math.round(100_000 / watchers)));
    const { cpuMs: event, kbPerWatcher } = await watchCost(stage.pki, { pid, port, path, watchers, events, write });
    points.push({ watchers, event, kilobytes: kbPerWatcher });
    process.stderr.write(`${JSON.stringify(points.at(-1))}\n`);
  }
  client.close();
  await server.stop();
  return points;
}

function draw({ objects, watchers }: Growth): void {
  const of = (value: (point: ObjectsPoint) => number): [number, number][] =>
    objects.map((point) => [point.objects, value(point)]);
  const plots = {
    'requests.svg': plot({
      title: 'Processor time of a request, by objects stored',
      x: 'objects',
      y: 'ms',
      lines: [
        { name: 'list all', points: of(({ list }) => list) },
        { name: 'page of 500', points: of(({ page }) => page) },
        { name: `list of ${SELECTED} by label`, points: of(({ labels }) => labels) },
        { name: 'update', points: of(({ update }) => update) },
        { name: 'get', points: of(({ get }) => get) },
      ],
    }),
    'start.svg': plot({
      title: 'Start and memory of a replica, by objects stored',
      x: 'objects',
      y: 's, MB',
      lines: [
        { name: 'memory (MB)', points: of(({ megabytes }) => megabytes) },
        { name: 'of that, objects (MB)', points: of(({ storedMegabytes }) => storedMegabytes) },
        { name: 'processor time of the start (s)', points: of(({ startCpu }) => startCpu / 1000) },
      ],
    }),
    'watchers.svg': plot({
      title: 'An event to one watcher, by watchers',
      x: 'watchers',
      y: 'ms, KB',
      lines: [
        { name: 'processor time of a delivery (ms)', points: watchers.map(({ watchers: n, event }) => [n, event]) },
        { name: 'memory of an open watch (KB)', points: watchers.map(({ watchers: n, kilobytes }) => [n, kilobytes]) },
      ],
    }),
  };
  for (const [name, svg] of Object.entries(plots)) writeFileSync(path.join(OUT, name), svg);
}

async function run(stage: Stage): Promise<Growth> {
  const etcd = await stage.startEtcd();
  const first = await stage.startServer(etcd);
  const client = new Client(stage.pki, first.port, 1);
  await client.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'growth' } } });
  client.close();
  await first.process.stop();
  await fill(etcd, storedFrom(0, OBJECTS[0]!));
  const watchers = await withWatchers(stage, etcd);
  const objects: ObjectsPoint[] = [];
  for (const [i, count] of OBJECTS.entries()) {
    if (i > 0) await fill(etcd, storedFrom(OBJECTS[i - 1]!, count));
    objects.push(await withObjects(stage, etcd, count));
  }
  return { objects, watchers };
}

mkdirSync(OUT, { recursive: true });
if (!process.argv.includes('--draw')) {
  const stage = new Stage();
  try {
    writeFileSync(DATA, `${JSON.stringify(await run(stage), undefined, 2)}\n`);
  } finally {
    await stage.stop();
  }
}
draw(JSON.parse(readFileSync(DATA, 'utf8')) as Growth);
