import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.ts';
import { http2Connection, http2Watch } from './http2-connection.ts';
import { repeat } from './measure.ts';
import { cpuMs, familyOf, ownMb } from './process-usage.ts';
import { loadPods, NAMESPACE, reads, writes } from './requests.ts';
import { Stage } from './stage.ts';

/**
 * What a second core gives: `node bench/workers.ts`. One process beside `--workers=2`, and beside the program that
 * `OTHER` names, if any (`NAMING` for one that knows but one profile). The same requests go to each in turns; what is
 * printed is the processor time of a request, how many a second were answered, the memory that all processes of each
 * have of their own, and what an event to one of `WATCHES` watches over HTTP/2 costs. `PODS`, `SCALE` and `TURNS` make
 * it smaller.
 */

const PODS = Number(process.env['PODS'] ?? 2000);
const SCALE = Number(process.env['SCALE'] ?? 1);
const TURNS = Number(process.env['TURNS'] ?? 8);
const WATCHES = Number(process.env['WATCHES'] ?? 2000);
const STREAMS = 100;
const CHANGES = 20;
const SETTLE_MS = 3000;
const WANTED = [
  'GET one, any version',
  'GET one, most recent',
  'page of 500, first',
  'LIST all, most recent',
  'create a pod',
];

interface Server {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly client: Client;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
const cpuOf = ({ pid }: Server): number => familyOf(pid).reduce((sum, one) => sum + cpuMs(one), 0);
const row = (work: string, values: readonly string[]): void => console.log(`| ${work} | ${values.join(' | ')} |`);

/** Processor time of a request, and how many a second are answered, in each turn of each server. */
async function inTurns(
  servers: readonly Server[],
  clients: number,
  count: number,
  send: (server: Server, n: number) => Promise<unknown>,
): Promise<string[]> {
  const turns = servers.map((): { ms: number; perSecond: number }[] => []);
  let sent = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    for (const i of turn % 2 === 0 ? servers.keys() : [...servers.keys()].reverse()) {
      const [began, cpu] = [performance.now(), cpuOf(servers[i]!)];
      let left = count;
      const client = async (): Promise<void> => {
        while (left-- > 0) await send(servers[i]!, sent++);
      };
      await Promise.all(Array.from({ length: clients }, client));
      const seconds = (performance.now() - began) / 1000;
      turns[i]!.push({ ms: (cpuOf(servers[i]!) - cpu) / count, perSecond: count / seconds });
    }
  }
  return turns.map((all) => {
    const [ms, perSecond] = [median(all.map((one) => one.ms)), median(all.map((one) => one.perSecond))];
    return `${ms.toFixed(3)} ms, ${perSecond.toFixed(0)}/s`;
  });
}

/** Processor time of an event to one watcher, over HTTP/2. */
async function event(stage: Stage, server: Server): Promise<string> {
  const maps = `${NAMESPACE}/configmaps`;
  const { text } = await server.client.call('GET', `${maps}?limit=1`, { text: true });
  const target = `${maps}?watch=1&allowWatchBookmarks=true&resourceVersion=${JSON.parse(text).metadata.resourceVersion}`;
  let seen = 0;
  const sessions = [];
  for (let opened = 0; opened < WATCHES; opened += STREAMS) {
    const session = await http2Connection(stage.pki, server.port);
    sessions.push(session);
    await Promise.all(Array.from({ length: STREAMS }, () => http2Watch(session, target, () => void seen++)));
  }
  await sleep(SETTLE_MS);
  const cpu = cpuOf(server);
  for (let n = 0; n < CHANGES; n++) {
    const body = { metadata: { name: 'c0' }, data: { n: `${n}`, text: 'x'.repeat(700) } };
    await server.client.call('PUT', `${maps}/c0`, { body });
    await sleep(100);
  }
  while (seen < CHANGES * WATCHES) await sleep(50);
  const ms = (cpuOf(server) - cpu) / (CHANGES * WATCHES);
  for (const session of sessions) session.destroy();
  return `${ms.toFixed(4)} ms`;
}

const stage = new Stage();
try {
  const etcd = await stage.startEtcd();
  const start = async (name: string, build: string | undefined, ...flags: string[]): Promise<Server> => {
    const prefix = `--etcd-prefix=/${name.replaceAll(' ', '-')}`;
    const started =
      build === undefined ? stage.startServer(etcd, prefix, ...flags) : stage.startBuild(build, etcd, prefix);
    const { pid, port } = await started;
    return { name, pid, port, client: new Client(stage.pki, port, 32) };
  };
  const servers = [await start('one process', undefined), await start('two workers', undefined, '--workers=2')];
  const other = process.env['OTHER'];
  if (other !== undefined) servers.push(await start('the other server', other));
  row(
    'work',
    servers.map(({ name }) => name),
  );
  row(
    '---',
    servers.map(() => '---'),
  );
  row(
    'MB when ready',
    servers.map(({ pid }) => ownMb(familyOf(pid)).toFixed(0)),
  );
  for (const { client } of servers) await loadPods(client, PODS);
  const works = await Promise.all(
    servers.map(async ({ client }) => [...(await reads(client, stage.naming, PODS)), ...(await writes(client, PODS))]),
  );
  for (const [n, { work, clients, count, warming }] of works[0]!.entries()) {
    if (!WANTED.includes(work)) continue;
    if (warming !== undefined) for (const all of works) await repeat(Math.round(2000 * SCALE), all[n]!.warming!);
    const each = Math.max(clients, Math.round((count * SCALE) / TURNS));
    const send = (server: Server, sent: number) => works[servers.indexOf(server)]![n]!.request(sent);
    row(work, await inTurns(servers, clients, each, send));
  }
  row(
    'MB after that',
    servers.map(({ pid }) => ownMb(familyOf(pid)).toFixed(0)),
  );
  const open: string[] = [];
  for (const server of servers) open.push(await event(stage, server));
  row(`an event to one of ${WATCHES} who watch`, open);
} finally {
  await stage.stop();
}
