/**
 * Compares HTTP/1.1 with HTTP/2: `node bench/http-versions.ts`. It sends the same requests to one replica over 16
 * connections of HTTP/1.1 and over one connection of HTTP/2. The two protocols take short turns, so that other work on
 * the machine affects both alike. The result is the processor time of the server in milliseconds, for a request and for
 * an event to one of 500 watchers.
 */
import { Client } from './client.ts';
import { http2Call, http2Connection, http2Watch } from './http2-connection.ts';
import { type Measurement, type Request, turns } from './measure.ts';
import { cpuMs } from './process-usage.ts';
import { Stage } from './stage.ts';

const TURNS = Number(process.env['TURNS'] ?? 12);
const WATCHERS = 500;
const STREAMS = 100;
const EVENTS = 100;
const MAPS = '/api/v1/namespaces/default/configmaps';

/** The mean of the cheaper half of the turns. Other work on the machine may have made the other turns expensive. */
function cheaperHalf(measured: readonly Measurement[]): number {
  const sorted = measured.map((one) => one.cpuMs).sort((a, b) => a - b);
  const half = sorted.slice(0, Math.ceil(sorted.length / 2));
  return half.reduce((sum, one) => sum + one, 0) / half.length;
}

const report = (work: string, first: number, second: number): void =>
  console.log(`| ${work} | ${first.toFixed(4)} | ${second.toFixed(4)} | ${(second / first).toFixed(2)} |`);

/** The processor time for one event to one watcher, in milliseconds. It includes a share of the write. */
async function eventCost(pid: number, write: Request, seen: () => number): Promise<number> {
  const before = seen();
  const cpu = cpuMs(pid);
  for (let n = 0; n < EVENTS; n++) {
    await write(n);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  while (seen() - before < EVENTS * WATCHERS) await new Promise((resolve) => setTimeout(resolve, 50));
  return (cpuMs(pid) - cpu) / (EVENTS * WATCHERS);
}

const stage = new Stage();
try {
  const { pid, port } = await stage.startServer(await stage.startEtcd());
  const first = new Client(stage.pki, port, 16);
  const second = await http2Connection(stage.pki, port);
  let made = 0;
  const map = () => ({ metadata: { name: `map-${made++}` }, data: { text: 'x'.repeat(700) } });
  for (let i = 0; i < 1000; i++) await first.call('POST', MAPS, { body: map() });
  const reads = (path: string): [Request, Request] => [
    () => first.call('GET', path),
    () => http2Call(second, 'GET', path),
  ];
  const works: [work: string, clients: number, count: number, both: [Request, Request]][] = [
    ['GET one, most recent', 16, 800, reads(`${MAPS}/map-1`)],
    ['GET one, any version', 16, 800, reads(`${MAPS}/map-1?resourceVersion=0`)],
    ['LIST 500 (0.6 MB)', 4, 60, reads(`${MAPS}?limit=500&resourceVersion=0`)],
    [
      'create',
      16,
      400,
      [() => first.call('POST', MAPS, { body: map() }), () => http2Call(second, 'POST', MAPS, map())],
    ],
  ];
  console.log('| work | HTTP/1.1 | HTTP/2 | ratio |\n|---|---|---|---|');
  for (const [work, clients, count, both] of works) {
    const of = both.map((request) => ({ pid, request }));
    const [one, two] = (await turns(of, clients, count, TURNS)).map(cheaperHalf);
    report(work, one!, two!);
  }
  const write: Request = () => first.call('POST', MAPS, { body: map() });
  const costs: number[] = [];
  let seen = 0;
  const { text } = await first.call('GET', `${MAPS}?limit=1`, { text: true });
  const version = `${MAPS}?watch=1&resourceVersion=${JSON.parse(text).metadata.resourceVersion}`;
  const sockets = new Client(stage.pki, port, WATCHERS);
  const close: (() => void)[] = [];
  for (let i = 0; i < WATCHERS; i++) close.push(await sockets.watch(version, () => seen++));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  costs.push(await eventCost(pid, write, () => seen));
  for (const end of close) end();
  sockets.close();
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const sessions = await Promise.all(
    Array.from({ length: WATCHERS / STREAMS }, () => http2Connection(stage.pki, port)),
  );
  const opened = sessions.flatMap((session) =>
    Array.from({ length: STREAMS }, () => http2Watch(session, version, () => seen++)),
  );
  await Promise.all(opened);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  costs.push(await eventCost(pid, write, () => seen));
  report('an event to one of 500 watchers, the write included', costs[0]!, costs[1]!);
  for (const session of [...sessions, second]) session.destroy();
  first.close();
} finally {
  await stage.stop();
}
