/**
 * Compares two builds: `node bench/side-by-side.ts BEFORE AFTER`, each the path of a build's `server/main.js`. The same
 * requests go to both in short turns on one etcd, so that other work on the machine affects both alike. Each build runs
 * `LAUNCHES` times, because launches of one build differ by up to a tenth for as long as they run. All launches start
 * before the first one is loaded: a launch that works while it is alone stays dearer.
 *
 * Each row shows the processor time of a request (milliseconds, the median of the turns), how much dearer the second
 * build is in the mean of the turns, the bounds of that (95 %, for these launches), and the median of each launch.
 * Where the launches of the two builds overlap, nothing was seen. After the requests come memory, events to
 * `EVENT_WATCHERS` watchers with a connection each (500), and `WATCHES` watches of one client over HTTP/2 (5000).
 * `PODS`, `SCALE` and `--only` are as for bench/main.ts. `TURNS` is the number of turns of each launch. `WATCHERS` is
 * the number of clients that watch the pods and the config maps of each launch meanwhile, 0 by default. A path that
 * does not end in `.js` is another program that serves the interface and takes the same flags, under the names that
 * `NAMING` says.
 *
 * `--system-calls` prints a second table: the system calls of a request of one client, by strace, of the first launch
 * of each build. `CALLS` is the number of requests that are counted, 100 by default.
 */
import path from 'node:path';
import { Client } from './client.ts';
import { repeat, turns } from './measure.ts';
import { watchedMap, watchesCost } from './open-watches.ts';
import { pairedChange } from './paired-change.ts';
import { residentMb } from './process-usage.ts';
import { loadPods, NAMESPACE, reads, type Work, writes } from './requests.ts';
import { type Replica, Stage } from './stage.ts';
import { type CallCounts, systemCalls } from './system-calls.ts';
import { watchCost } from './watch-cost.ts';

const PODS = Number(process.env['PODS'] ?? 2000);
const SCALE = Number(process.env['SCALE'] ?? 1);
const TURNS = Number(process.env['TURNS'] ?? 24);
const builds = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const WATCHERS = Number(process.env['WATCHERS'] ?? 0);
const LAUNCHES = Number(process.env['LAUNCHES'] ?? 2);
const EVENT_WATCHERS = Number(process.env['EVENT_WATCHERS'] ?? 500);
const WATCHES = Number(process.env['WATCHES'] ?? 5000);
const CALLS = Number(process.env['CALLS'] ?? 100);
const countsCalls = process.argv.includes('--system-calls');
const only = process.argv
  .find((argument) => argument.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const percent = (share: number): string => `${share < 0 ? '' : '+'}${(share * 100).toFixed(1)}`;

/** One replica: its build (0 before, 1 after), and how to load it. */
interface Launch extends Replica {
  readonly build: number;
  readonly client: Client;
  works: readonly Work[];
}

/** The cost of each turn of a build: the mean of its launches. */
function meanOfTurns(launches: readonly (readonly number[])[]): number[] {
  return launches[0]!.map((_, turn) => launches.reduce((sum, turns) => sum + turns[turn]!, 0) / launches.length);
}

/** Prints a row of what each launch of each build cost, turn by turn. */
function report(work: string, costs: readonly (readonly (readonly number[])[])[]): void {
  const [before, after] = costs.map(meanOfTurns);
  const { mean, low, high } = pairedChange(before!, after!);
  const medians = costs.map((launches) => launches.map((turns) => median(turns).toFixed(3)).join(' '));
  console.log(
    `| ${work} | ${median(before!).toFixed(3)} | ${median(after!).toFixed(3)} | ${percent(mean)} % | ${percent(low)} to ${percent(high)} % | ${medians.join(' / ')} |`,
  );
}

function wanted(work: string): boolean {
  return only === undefined || only.some((text) => work.includes(text));
}

/** Prints a row of values that the bench measured once per launch. */
function reportOnce(work: string, digits: number, launches: readonly Launch[], values: readonly number[]): void {
  const of = [0, 1].map((build) => values.filter((_, n) => launches[n]!.build === build));
  const [before, after] = of.map(median);
  const all = of.map((some) => some.map((value) => value.toFixed(digits)).join(' ')).join(' / ');
  console.log(
    `| ${work} | ${before!.toFixed(digits)} | ${after!.toFixed(digits)} | ${percent(after! / before! - 1)} % | | ${all} |`,
  );
}

/** Watches of each launch, one launch after the other. */
async function reportWatches({ pki }: Stage, launches: readonly Launch[]): Promise<void> {
  const path = `${NAMESPACE}/configmaps`;
  const events = `event to one of ${EVENT_WATCHERS} watchers, a connection each`;
  if (wanted(events)) {
    const costs: number[] = [];
    for (const { pid, port, client } of launches) {
      const write = (n: number) => {
        const body = { metadata: { name: 'c0' }, data: { w: String(n), text: 'x'.repeat(500) } };
        return client.call('PUT', `${path}/c0`, { body });
      };
      const load = { pid, port, path: `${path}?watch=1&resourceVersion=0`, watchers: EVENT_WATCHERS };
      costs.push((await watchCost(pki, { ...load, events: Math.round(300 * SCALE), write })).cpuMs);
    }
    reportOnce(events, 4, launches, costs);
  }
  const watches = `${WATCHES} watches of one client over HTTP/2`;
  if (!wanted(watches)) return;
  const amounts = { watches: WATCHES, streams: 100, changes: 20 };
  const costs = [];
  for (const launch of launches) {
    const watched = await watchedMap(launch.client, launch, NAMESPACE);
    costs.push(await watchesCost(pki, watched, 'HTTP/2', amounts));
  }
  const row = (what: string, digits: number, values: readonly number[]): void =>
    reportOnce(`${watches}: ${what}`, digits, launches, values);
  row(
    'KB for each',
    1,
    costs.map(({ kilobytes }) => kilobytes),
  );
  row(
    'to open one',
    3,
    costs.map(({ openMs }) => openMs),
  );
  row(
    'an event to one',
    4,
    costs.map(({ eventMs }) => eventMs),
  );
}

/** Prints the system calls of a request of one client, of the first launch of each build. */
async function reportSystemCalls(launches: readonly Launch[]): Promise<void> {
  const first = [0, 1].map((build) => launches.find((launch) => launch.build === build)!);
  const line = (counts: CallCounts): string =>
    Object.entries(counts)
      .map(([kind, calls]) => `${kind} ${calls.toFixed(1)}`)
      .join(', ');
  console.log('\n| system calls of a request | before | after |\n|---|---|---|');
  for (const [n, { work }] of first[0]!.works.entries()) {
    if (!wanted(work)) continue;
    const counts: CallCounts[] = [];
    for (const { pid, works } of first) counts.push(await systemCalls(pid, CALLS, works[n]!.request));
    console.log(`| ${work} | ${counts.map(line).join(' | ')} |`);
  }
}

/** The builds of the launches in the order of their start: 0 1 1 0, and again. */
const order = Array.from({ length: builds.length * LAUNCHES }, (_, n) => (n % 4 === 1 || n % 4 === 2 ? 1 : 0));

if (builds.length !== 2) throw new Error('Name two builds: node bench/side-by-side.ts BEFORE/main.js AFTER/main.js');
const stage = new Stage();
const endWatches: (() => void)[] = [];
try {
  const etcd = await stage.startEtcd();
  const launches: Launch[] = [];
  for (const [n, build] of order.entries()) {
    const replica = await stage.startBuild(path.resolve(builds[build]!), etcd, `--etcd-prefix=/launch-${n}`);
    launches.push({ ...replica, build, client: new Client(stage.pki, replica.port, 16), works: [] });
  }
  for (const launch of launches) {
    await loadPods(launch.client, PODS);
    const watchers = new Client(stage.pki, launch.port, 2 * WATCHERS);
    for (let n = 0; n < WATCHERS; n++)
      for (const plural of ['pods', 'configmaps'])
        endWatches.push(await watchers.watch(`/api/v1/${plural}?watch=1`, () => {}));
    launch.works = [...(await reads(launch.client, stage.naming, PODS)), ...(await writes(launch.client, PODS))];
  }
  console.log('| work | before | after | change | bounds | launches |\n|---|---|---|---|---|---|');
  for (const [n, { work, clients, count, warming }] of launches[0]!.works.entries()) {
    if (!wanted(work)) continue;
    if (warming !== undefined)
      for (const { works } of launches) await repeat(Math.round(10_000 * SCALE), works[n]!.warming!);
    const each = Math.max(clients, Math.round((count * SCALE) / TURNS));
    const sent = launches.map(({ pid, works }) => ({ pid, request: works[n]!.request }));
    const measured = await turns(sent, clients, each, TURNS);
    const costs = measured.map((all) => all.map(({ cpuMs }) => cpuMs));
    report(
      work,
      [0, 1].map((build) => costs.filter((_, launch) => launches[launch]!.build === build)),
    );
  }
  const memory = launches.map(({ pid }) => residentMb(pid));
  reportOnce('memory after all of it, MB', 0, launches, memory);
  await reportWatches(stage, launches);
  if (countsCalls) await reportSystemCalls(launches);
  for (const end of endWatches) end();
  for (const { client } of launches) client.close();
} finally {
  await stage.stop();
}
