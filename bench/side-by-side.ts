/**
 * Compares two builds: `node bench/side-by-side.ts BEFORE AFTER`, each the path of a build's `server/main.js`. The same
 * requests go to both in short turns, on one etcd, so that what else the machine does falls on both alike. What is printed
 * for each row is the processor time of a request (milliseconds, the cheaper half of the turns) and how much dearer the
 * second build is. `PODS`, `SCALE` and `--only` are as for bench/main.ts; `TURNS` says how many turns each build has.
 */
import path from 'node:path';
import { Client } from './client.ts';
import { type Measurement, repeat, turns } from './measure.ts';
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

/** The mean of the cheaper half: a turn that something else disturbed says nothing about the build. */
function cheaperHalf(measured: readonly Measurement[]): number {
  const sorted = measured.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b);
  const half = sorted.slice(0, Math.ceil(sorted.length / 2));
  return half.reduce((sum, one) => sum + one, 0) / half.length;
}

function report(work: string, before: number, after: number, digits: number): void {
  const change = ((after / before - 1) * 100).toFixed(1);
  console.log(`| ${work} | ${before.toFixed(digits)} | ${after.toFixed(digits)} | ${change} % |`);
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
  console.log('| work | before | after | change |\n|---|---|---|---|');
  for (const [n, { work, clients, count, warming }] of works[0]!.entries()) {
    if (only !== undefined && !only.some((text) => work.includes(text))) continue;
    if (warming !== undefined) for (const all of works) await repeat(Math.round(10_000 * SCALE), all[n]!.warming!);
    const each = Math.max(clients, Math.round((count * SCALE) / TURNS));
    const of = servers.map(({ pid }, server) => ({ pid, request: works[server]![n]!.request }));
    const [before, after] = (await turns(of, clients, each, TURNS)).map(cheaperHalf);
    report(work, before!, after!, 3);
  }
  const [before, after] = servers.map(({ pid }) => residentMb(pid));
  report('memory after all of it, MB', before!, after!, 0);
  for (const { client } of servers) client.close();
} finally {
  await stage.stop();
}
