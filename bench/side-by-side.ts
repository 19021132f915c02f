/**
 * Compares two builds: `node bench/side-by-side.ts BEFORE AFTER`, each the path of a build's `server/main.js`. The same
 * requests go to both in short turns, now one first and now the other, on one etcd, so that what else the machine does falls
 * on both alike. What is printed for each row is the processor time of a request (milliseconds, the median of the turns), how
 * much dearer the second build is in the mean of the turns, and the bounds that this lies within (95 %): where they are on
 * both sides of 0, nothing was seen. `PODS`, `SCALE` and `--only` are as for bench/main.ts; `TURNS` says how many turns each
 * build has. A path that does not end in `.js` is another program that serves the interface and takes the same flags, under
 * the names that `NAMING` says.
 */
import path from 'node:path';
import { Client } from './client.ts';
import { repeat, turns } from './measure.ts';
import { pairedChange } from './paired-change.ts';
import { residentMb } from './process-usage.ts';
import { loadPods, reads, type Work, writes } from './requests.ts';
import { Stage } from './stage.ts';

const PODS = Number(process.env['PODS'] ?? 2000);
const SCALE = Number(process.env['SCALE'] ?? 1);
const TURNS = Number(process.env['TURNS'] ?? 24);
const builds = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const only = process.argv
  .find((argument) => argument.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const percent = (share: number): string => `${share < 0 ? '' : '+'}${(share * 100).toFixed(1)}`;

function report(work: string, before: readonly number[], after: readonly number[]): void {
  const { mean, low, high } = pairedChange(before, after);
  const bounds = `${percent(mean)} % | ${percent(low)} to ${percent(high)} %`;
  console.log(`| ${work} | ${median(before).toFixed(3)} | ${median(after).toFixed(3)} | ${bounds} |`);
}

if (builds.length !== 2) throw new Error('Name two builds: node bench/side-by-side.ts BEFORE/main.js AFTER/main.js');
const stage = new Stage();
try {
  const etcd = await stage.startEtcd();
  const servers = [];
  const works: Work[][] = [];
  for (const [n, build] of builds.entries()) {
    const server = await stage.startBuild(path.resolve(build), etcd, `--etcd-prefix=/build-${n}`);
    const client = new Client(stage.pki, server.port, 16);
    await loadPods(client, PODS);
    works.push([...(await reads(client, stage.naming, PODS)), ...(await writes(client, PODS))]);
    servers.push({ ...server, client });
  }
  console.log('| work | before | after | change | bounds |\n|---|---|---|---|---|');
  for (const [n, { work, clients, count, warming }] of works[0]!.entries()) {
    if (only !== undefined && !only.some((text) => work.includes(text))) continue;
    if (warming !== undefined) for (const all of works) await repeat(Math.round(10_000 * SCALE), all[n]!.warming!);
    const each = Math.max(clients, Math.round((count * SCALE) / TURNS));
    const of = servers.map(({ pid }, server) => ({ pid, request: works[server]![n]!.request }));
    const [before, after] = (await turns(of, clients, each, TURNS)).map((all) => all.map(({ cpuMs }) => cpuMs));
    report(work, before!, after!);
  }
  const [before, after] = servers.map(({ pid }) => residentMb(pid));
  console.log(
    `| memory after all of it, MB | ${before!.toFixed(0)} | ${after!.toFixed(0)} | ${percent(after! / before! - 1)} % | |`,
  );
  for (const { client } of servers) client.close();
} finally {
  await stage.stop();
}
