import type { ClientHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import { Client } from './client.ts';
import { fill } from './fill.ts';
import { http2Call, http2Connection, http2Watch } from './http2-connection.ts';
import { cpuMs, residentMb } from './process-usage.ts';
import { type Replica, Stage } from './stage.ts';

/**
 * Simulates a large cluster on three replicas: `node bench/scale.ts`. There are `PODS` pods in `NAMESPACES` namespaces
 * on `WATCHERS` nodes. Each node watches its own pods with a field selector (over HTTP/2, `STREAMS` streams on a
 * connection). Meanwhile `CHANGES` changes a second are made for `SECONDS` seconds through all replicas in turn. The
 * result is the memory of the replicas, the processor time of a change with and without the watchers, the delay between
 * a change and its event, and the cost of an event for each of the `EVERYTHING` clients that watch all pods. Each of
 * these numbers can be made smaller.
 */

const size = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const PODS = size('PODS', 100_000);
const NAMESPACES = size('NAMESPACES', 1000);
const WATCHERS = size('WATCHERS', 5000);
const CHANGES = size('CHANGES', 500);
const SECONDS = size('SECONDS', 20);
const REPLICAS = size('REPLICAS', 3);
const STREAMS = size('STREAMS', 100);
const EVERYTHING = size('EVERYTHING', 100);
/** The interval at which due changes are sent, in milliseconds. */
const BEAT_MS = 10;
const SETTLE_MS = 5000;
/** An annotation with the time of the change. */
const SENT = 'example.com/sent';
const MARK = Buffer.from(`"${SENT}":"`);

const PRODUCT = createNaming('orch').product;

const namespaceOf = (n: number): string => `n-${n % NAMESPACES}`;
const nameOf = (n: number): string => `pod-${n}`;
const nodeOf = (n: number): string => `node-${n % WATCHERS}`;

/** A small pod as the API stores it. */
function storedPod(n: number): object {
  const metadata = {
    name: nameOf(n),
    namespace: namespaceOf(n),
    uid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: `app-${n % 500}` },
  };
  const container = {
    name: 'main',
    image: 'registry.example.com/team/main:1.0',
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
  const spec = {
    containers: [container],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    nodeName: nodeOf(n),
    securityContext: {},
    schedulerName: 'default-scheduler',
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 0,
  };
  return { kind: 'Pod', apiVersion: 'v1', metadata, spec, status: { phase: 'Running', qosClass: 'BestEffort' } };
}

function* storedObjects(): Iterable<readonly [string, object]> {
  for (let n = 0; n < NAMESPACES; n++) {
    const metadata = {
      name: `n-${n}`,
      uid: `00000000-0000-4000-9000-${String(n).padStart(12, '0')}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
    };
    const rest = { spec: { finalizers: [PRODUCT] }, status: { phase: 'Active' } };
    yield [`core/namespaces/n-${n}`, { kind: 'Namespace', apiVersion: 'v1', metadata, ...rest }];
  }
  for (let n = 0; n < PODS; n++) yield [`core/pods/${namespaceOf(n)}/${nameOf(n)}`, storedPod(n)];
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** The 50th, the 99th and the 100th percentile. */
function spread(values: number[]): string {
  values.sort((a, b) => a - b);
  return [0.5, 0.99, 1].map((share) => percentile(values, share).toFixed(1)).join(', ');
}

/** How long it took from the moment that a change was sent until its event was here. */
function delayOf(line: Buffer): number | undefined {
  const at = line.indexOf(MARK);
  return at < 0 ? undefined : performance.now() - Number.parseFloat(line.toString('latin1', at + MARK.length, at + 40));
}

interface Load {
  readonly changes: number;
  /** How long the answers to changes took, in milliseconds. */
  readonly answers: number[];
  /** Processor time of each replica for a change, in milliseconds. */
  readonly cpu: readonly number[];
}

let changed = 0;

/** Changes pods for some seconds, at the rate, whether or not those before have been answered. */
async function load(replicas: readonly Replica[], sessions: readonly ClientHttp2Session[]): Promise<Load> {
  const answers: number[] = [];
  const under: Promise<void>[] = [];
  const before = replicas.map(({ pid }) => cpuMs(pid));
  const began = performance.now();
  for (let sent = 0; sent < CHANGES * SECONDS; await sleep(BEAT_MS)) {
    const due = Math.min(CHANGES * SECONDS, ((performance.now() - began) / 1000) * CHANGES);
    for (; sent < due; sent++) {
      // The events are far apart, so that no two of them affect the same object or the same watcher at the same time.
      const n = (changed++ * 7919) % PODS;
      const at = performance.now();
      const body = { metadata: { annotations: { [SENT]: at.toFixed(2) } } };
      const path = `/api/v1/namespaces/${namespaceOf(n)}/pods/${nameOf(n)}`;
      const call = http2Call(sessions[sent % sessions.length]!, 'PATCH', path, body, 'application/merge-patch+json');
      under.push(call.then(() => void answers.push(performance.now() - at)));
    }
  }
  await Promise.all(under);
  await sleep(1000);
  const cpu = replicas.map(({ pid }, i) => (cpuMs(pid) - before[i]!) / answers.length);
  return { changes: answers.length, answers, cpu };
}

const row = (what: string, ...values: (number | string)[]): void =>
  console.log(`| ${what} | ${values.map((one) => (typeof one === 'number' ? one.toFixed(3) : one)).join(', ')} |`);
const megabytes = (replicas: readonly Replica[]): string =>
  replicas.map(({ pid }) => residentMb(pid).toFixed(0)).join(', ');

/** Opens watches, in turn on the replicas; resolves when all have started. */
async function watch(
  stage: Stage,
  replicas: readonly Replica[],
  targets: readonly string[],
  onLine: (line: Buffer) => void,
): Promise<() => void> {
  const sessions: ClientHttp2Session[] = [];
  for (let from = 0; from < targets.length; from += STREAMS) {
    const session = await http2Connection(stage.pki, replicas[sessions.length % replicas.length]!.port);
    sessions.push(session);
    await Promise.all(targets.slice(from, from + STREAMS).map((target) => http2Watch(session, target, onLine)));
  }
  return () => {
    for (const session of sessions) session.destroy();
  };
}

async function run(stage: Stage): Promise<void> {
  const etcd = await stage.startEtcd();
  // At its first start, a replica creates the objects that every cluster has.
  await (await stage.startServer(etcd)).process.stop();
  await fill(etcd, storedObjects());
  const replicas: Replica[] = [];
  while (replicas.length < REPLICAS) replicas.push(await stage.startServer(etcd));
  const sessions = await Promise.all(replicas.map(({ port }) => http2Connection(stage.pki, port)));
  await sleep(SETTLE_MS);
  console.log(`| ${PODS} pods, ${WATCHERS} watchers, ${CHANGES} changes a second | |\n|---|---|`);
  row('MB of each replica when it is ready', megabytes(replicas));
  await load(replicas, sessions);
  const alone = await load(replicas, sessions);
  row('ms of processor time of each replica for a change, without watchers', ...alone.cpu);
  row('ms to the answer: 50th, 99th and 100th percentile', spread(alone.answers));
  row('MB of each replica after changes', megabytes(replicas));
  const delays: number[] = [];
  const onLine = (line: Buffer): void => {
    const delay = delayOf(line);
    if (delay !== undefined) delays.push(delay);
  };
  const all = '/api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=0';
  const own = Array.from({ length: WATCHERS }, (_, n) => `${all}&fieldSelector=spec.nodeName%3Dnode-${n}`);
  const opening = replicas.map(({ pid }) => cpuMs(pid));
  const close = await watch(stage, replicas, own, onLine);
  await sleep(SETTLE_MS);
  const opened = replicas.reduce((sum, { pid }, i) => sum + cpuMs(pid) - opening[i]!, 0);
  row('ms of processor time to open a watch, its 20 objects included', opened / WATCHERS);
  row('MB of each replica with the watchers', megabytes(replicas));
  delays.length = 0;
  const watched = await load(replicas, sessions);
  row('ms of processor time of each replica for a change, with watchers', ...watched.cpu);
  const more = watched.cpu.reduce((sum, one, i) => sum + one - alone.cpu[i]!, 0);
  row('ms more, of all replicas together: an event to the one watcher whom it concerns', more);
  row('ms to the answer', spread(watched.answers));
  row('ms to the event', spread(delays), `${delays.length} of ${watched.changes}`);
  close();
  await sleep(SETTLE_MS);
  const without = (await load(replicas, sessions)).cpu[0]!;
  const first = replicas.slice(0, 1);
  const client = new Client(stage.pki, first[0]!.port, 1);
  const { text } = await client.call('GET', '/api/v1/pods?limit=1', { text: true });
  client.close();
  const { resourceVersion } = JSON.parse(text).metadata;
  const targets = Array.from({ length: EVERYTHING }, () => all.replace(/=0$/, `=${resourceVersion}`));
  let seen = 0;
  const everything = await watch(stage, first, targets, () => void seen++);
  await sleep(SETTLE_MS);
  const withAll = (await load(replicas, sessions)).cpu[0]!;
  row(
    `ms for an event to one of ${EVERYTHING} that watch everything`,
    (withAll - without) / EVERYTHING,
    `${seen} of ${EVERYTHING * CHANGES * SECONDS}`,
  );
  everything();
  for (const session of sessions) session.destroy();
}

const stage = new Stage();
try {
  await run(stage);
} finally {
  await stage.stop();
}
