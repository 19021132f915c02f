/**
 * Compares two builds: `node bench/side-by-side.ts BEFORE AFTER`. Each argument is the path of a build's
 * `server/main.js`. The same requests go to both builds in short turns on one etcd, so that other work on the machine
 * affects both alike. Each build is started `LAUNCHES` times, because two launches of one build differ by up to a tenth
 * for their whole life. All launches are up before the first gets load: a process that works while it is the only one
 * stays dearer.
 *
 * What is printed for each row is the processor time of a request (milliseconds, the median of the turns), how much
 * dearer the second build is in the mean of the turns, the bounds that this lies within (95 %, for these launches), and
 * the median of each launch. Where the launches of the two builds overlap, nothing was seen. `PODS`, `SCALE` and
 * `--only` are as for bench/main.ts; `TURNS` says how many turns each launch has, and `WATCHERS` how many clients watch
 * the pods and the config maps of each launch meanwhile: none without it. A path that does not end in `.js` is another
 * program that serves the interface and takes the same flags, under the names that `NAMING` says.
 */
import path from 'node:path';
import { Client } from './client.ts';
import { repeat, turns } from './measure.ts';
import { pairedChange } from './paired-change.ts';
import { residentMb } from './process-usage.ts';
import { loadPods, reads, type Work, writes } from './requests.ts';
import { type Replica, Stage } from './stage.ts';

const PODS = Number(process.env['PODS'] ?? 2000);
const SCALE = Number(process.env['SCALE'] ?? 1);
const TURNS = Number(process.env['TURNS'] ?? 24);
const builds = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const WATCHERS = Number(process.env['WATCHERS'] ?? 0);
const LAUNCHES = Number(process.env['LAUNCHES'] ?? 2);
const only = process.argv
  .find((argument) => argument.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const percent = (share: number): string => `${share < 0 ? '' : '+'}${(share * 100).toFixed(1)}`;

/** One replica: which build it is of (0 before, 1 after), and how to load it. */
interface Launch extends Replica {
  readonly build: number;
  readonly client: Client;
  works: readonly Work[];
}

/** What each turn of a build cost: the mean of its launches. */
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
    if (only !== undefined && !only.some((text) => work.includes(text))) continue;
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
  const [before, after] = [0, 1].map((build) =>
    median(launches.filter((launch) => launch.build === build).map(({ pid }) => residentMb(pid))),
  );
  console.log(
    `| memory after all of it, MB | ${before!.toFixed(0)} | ${after!.toFixed(0)} | ${percent(after! / before! - 1)} % | | |`,
  );
  for (const end of endWatches) end();
  for (const { client } of launches) client.close();
} finally {
  await stage.stop();
}
