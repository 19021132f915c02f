import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.ts';
import { fill } from './fill.ts';
import { plot } from './plot.ts';
import { Stage } from './stage.ts';

/**
 * Measures how long other clients wait while one client floods a replica with lists and creates:
 * `node bench/fairness.ts`, four minutes. A client of the same priority level reads one object now and then, and a node
 * renews its lease. The flood goes in turn to a replica with fair sharing and to one without it. Writes
 * `docs/plots/fairness.json` and the plot beside it; with `--draw` only the plot, from that file.
 */

const ROUNDS = Number(process.env['ROUNDS'] ?? 7);
const SECONDS = Number(process.env['SECONDS'] ?? 2);
/** On a machine with other work, the measured processes may get priority: a negative number, as root. */
const NICE = Number(process.env['NICE'] ?? 0);
/** Requests that the flood has in progress at once: half of them lists, half creates. */
const FLOODS = [0, 10, 30, 100, 300];
const OBJECTS = 5000;
const OUT = path.resolve(import.meta.dirname, '../docs/plots');
const DATA = path.join(OUT, 'fairness.json');
const MAPS = '/api/v1/namespaces/stored/configmaps';
const MAY_GROW = 3;

const SHARING = ['fairly', 'not'] as const;
type Sharing = (typeof SHARING)[number];
/** The 99th percentile of one kind of request, in milliseconds, by the kind of flood. */
interface Curve {
  readonly request: string;
  readonly sharing: Sharing;
  readonly points: readonly (readonly [flood: number, p99: number, p50: number])[];
}

const users = { flood: 'flood-token', neighbour: 'neighbour-token' };

function* stored(): Iterable<readonly [string, object]> {
  for (let n = 0; n < OBJECTS; n++) {
    const name = `c-${String(n).padStart(5, '0')}`;
    const uid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    const metadata = { name, namespace: 'stored', uid, creationTimestamp: '2026-01-01T00:00:00Z' };
    yield [
      `core/configmaps/stored/${name}`,
      { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { text: 'x'.repeat(900) } },
    ];
  }
}

/** A client that sends requests continuously, a few milliseconds after each answer. */
async function latencies(request: () => Promise<unknown>, until: number): Promise<number[]> {
  const all: number[] = [];
  while (performance.now() < until) {
    const began = performance.now();
    await request();
    all.push(performance.now() - began);
    await sleep(4);
  }
  return all;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

async function measureAll(): Promise<Curve[]> {
  // started processes inherit the priority
  if (NICE !== 0) os.setPriority(NICE);
  const stage = new Stage();
  try {
    const { naming, pki } = stage;
    const lines = Object.entries(users).map(([user, token]) => `${token},${user},uid-${user}\n`);
    appendFileSync(pki.file('tokens.csv'), lines.join(''));
    const etcd = await stage.startEtcd();
    await fill(etcd, stored());
    const replicas = {
      fairly: await stage.startServer(etcd),
      not: await stage.startServer(etcd, '--enable-priority-and-fairness=false'),
    };
    const admin = new Client(pki, replicas.fairly.port, 1);
    for (const name of ['stored', 'flooded'])
      await admin.call('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    const rbac = naming.group('rbac.authorization');
    await admin.call('POST', `/apis/${rbac}/v1/clusterrolebindings`, {
      body: {
        metadata: { name: 'everybody' },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: Object.keys(users).map((name) => ({ apiGroup: rbac, kind: 'User', name })),
      },
    });
    const leases = `/apis/${naming.group('coordination')}/v1/namespaces/${naming.prefixed('node-lease')}/leases`;
    await admin.call('POST', leases, { body: { metadata: { name: 'node1' }, spec: { holderIdentity: 'node1' } } });
    const [ca, cert, key] = ['ca.crt', 'node1.crt', 'node1.key'].map((name) => pki.read(name)) as [
      string,
      string,
      string,
    ];
    const parts = SHARING.map((sharing) => {
      const { port } = replicas[sharing];
      const flood = fork(path.join(import.meta.dirname, 'flood.ts'), [
        ...[String(port), ca, users.flood, sharing, `${MAPS}?resourceVersion=0`],
        '/api/v1/namespaces/flooded/configmaps',
      ]);
      const neighbour = new Client(pki, port, 1, users.neighbour);
      const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca, cert, key, servername: 'localhost' });
      const renew = () =>
        new Promise<void>((resolve, reject) => {
          const headers = { 'Content-Type': 'application/merge-patch+json' };
          https
            .request(
              { host: '127.0.0.1', port, agent, path: `${leases}/node1`, method: 'PATCH', headers },
              (response) => {
                response.resume().once('end', () => resolve());
                if (response.statusCode !== 200) reject(new Error(`a renewal got ${response.statusCode}`));
              },
            )
            .once('error', reject)
            .end(JSON.stringify({ spec: { renewTime: new Date().toISOString().replace('Z', '000Z') } }));
        });
      const requests = {
        GET: () => neighbour.call('GET', `${MAPS}/c-00001`),
        'renewal of a lease': renew,
      };
      return { sharing, flood, requests };
    });
    const seen = new Map<string, Map<number, { p99: number; p50: number }[]>>();
    for (let round = 0; round < ROUNDS; round++)
      for (const { sharing, flood, requests } of parts)
        for (const size of FLOODS) {
          if (size > 0) flood.send(size);
          await sleep(500);
          const until = performance.now() + SECONDS * 1000;
          await Promise.all(
            Object.entries(requests).map(async ([request, ask]) => {
              const all = await latencies(ask, until);
              const curve = `${request}\0${sharing}`;
              const known = seen.get(curve) ?? new Map<number, { p99: number; p50: number }[]>();
              seen.set(
                curve,
                known.set(size, [
                  ...(known.get(size) ?? []),
                  { p99: percentile(all, 0.99), p50: percentile(all, 0.5) },
                ]),
              );
            }),
          );
          const counted = once(flood, 'message');
          flood.send(0);
          await sleep(0);
          const [counts] = await counted;
          process.stderr.write(`${round} ${sharing} ${size} ${JSON.stringify(counts)}\n`);
        }
    for (const { flood } of parts) flood.kill();
    // other work on the machine made some rounds worse, and none better
    const middle = (values: readonly number[]): number => Number(percentile(values, 0.5).toFixed(2));
    return [...seen].map(([curve, points]) => {
      const [request, sharing] = curve.split('\0') as [string, Sharing];
      return {
        request,
        sharing,
        points: [...points].map(([size, rounds]) => {
          const [p99, p50] = [middle(rounds.map((round) => round.p99)), middle(rounds.map((round) => round.p50))];
          return [size, p99, p50] as const;
        }),
      };
    });
  } finally {
    await stage.stop();
  }
}

function draw(curves: readonly Curve[]): void {
  const flooded = (curve: Curve) => curve.points.filter(([size]) => size > 0);
  const quiet = Math.max(...curves.filter(({ sharing }) => sharing === 'fairly').map(({ points }) => points[0]![1]));
  const svg = plot({
    title: 'What others wait while one client floods a replica',
    x: 'requests of the flood under way',
    y: 'ms (99 %)',
    lines: [
      ...curves.map((curve) => ({
        name: `${curve.request}, ${curve.sharing === 'fairly' ? 'shared fairly' : 'not shared'}`,
        points: flooded(curve).map(([size, p99]) => [size, p99] as const),
      })),
      { name: `${MAY_GROW} times quiet`, points: FLOODS.slice(1).map((size) => [size, MAY_GROW * quiet] as const) },
    ],
  });
  mkdirSync(OUT, { recursive: true });
  writeFileSync(path.join(OUT, 'fairness.svg'), svg);
}

if (!process.argv.includes('--draw')) writeFileSync(DATA, `${JSON.stringify(await measureAll(), undefined, 2)}\n`);
const curves = JSON.parse(readFileSync(DATA, 'utf8')) as Curve[];
draw(curves);
for (const { request, sharing, points } of curves)
  for (const [size, p99, p50] of points)
    console.log(
      `${request}, ${sharing}: flood of ${size}: median ${p50.toFixed(1)} ms, 99 % ${p99.toFixed(1)} ms, ${(p99 / points[0]![1]).toFixed(1)} times quiet`,
    );
