import type { ClientHttp2Session } from 'node:http2';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Background, freePort, waitFor } from '#scripts/processes.ts';
import { Client } from './client.ts';
import { http2Call, http2Connection, http2Watch } from './http2-connection.ts';
import type { Request } from './measure.ts';
import { cpuMs, residentMb } from './process-usage.ts';
import { Stage } from './stage.ts';

/**
 * What an open watch holds, what it costs to open one, and what an event to one of them costs, over HTTP/1.1 (each on a
 * connection of its own) and HTTP/2 (`STREAMS` on each connection), beside a bare server that does nothing else:
 * `node bench/watches.ts`. All of them watch the same objects, of which `CHANGES` change, a tenth of a second apart.
 * `WATCHES` and `CHANGES` make it smaller.
 */

const WATCHES = Number(process.env['WATCHES'] ?? 5000);
const STREAMS = Number(process.env['STREAMS'] ?? 100);
const CHANGES = Number(process.env['CHANGES'] ?? 20);
const GAP_MS = 100;
/** Watches that are opened and closed first, so that the engine compiles the code before the measurement. */
const WARMING = Math.ceil(WATCHES / 10);
/** How many are opened at the same time. */
const OPENING = 50;
/** Time for garbage to go, and for events that should not come. */
const SETTLE_MS = 3000;
const MAPS = '/api/v1/namespaces/default/configmaps';

type Protocol = 'HTTP/1.1' | 'HTTP/2';

/** A server with something to watch. */
interface Watched {
  readonly process: Background;
  readonly pid: number;
  readonly port: number;
  /** The path of a watch of all changes from now on. */
  readonly target: () => string;
  /** Makes one event for each watcher. */
  readonly change: Request;
}

interface Cost {
  /** What the server grew by for each watch, in kilobytes. */
  readonly kilobytes: number;
  /** Processor time to open one, and to deliver an event to one, in milliseconds. */
  readonly openMs: number;
  readonly eventMs: number;
}

/** Opens watches; the result closes them. */
async function open(
  stage: Stage,
  { port, target }: Watched,
  protocol: Protocol,
  count: number,
  onLine: () => void,
): Promise<() => void> {
  if (protocol === 'HTTP/1.1') {
    const client = new Client(stage.pki, port, count);
    const close: (() => void)[] = [];
    while (close.length < count) {
      const some = Array.from({ length: Math.min(OPENING, count - close.length) }, () =>
        client.watch(target(), onLine),
      );
      close.push(...(await Promise.all(some)));
    }
    return () => {
      for (const end of close) end();
      client.close();
    };
  }
  const sessions: ClientHttp2Session[] = [];
  for (let left = count; left > 0; left -= STREAMS) {
    const session = await http2Connection(stage.pki, port);
    sessions.push(session);
    const some = Array.from({ length: Math.min(STREAMS, left) }, () => http2Watch(session, target(), onLine));
    await Promise.all(some);
  }
  return () => {
    for (const session of sessions) session.destroy();
  };
}

/** Processor time of some changes, in milliseconds, once `watches` watchers have them all. */
async function changesCost({ pid, change }: Watched, watches: number, seen: () => number): Promise<number> {
  const [before, cpu] = [seen(), cpuMs(pid)];
  for (let n = 0; n < CHANGES; n++) {
    await change(n);
    await sleep(GAP_MS);
  }
  while (seen() - before < CHANGES * watches) await sleep(50);
  return cpuMs(pid) - cpu;
}

async function cost(stage: Stage, watched: Watched, protocol: Protocol): Promise<Cost> {
  const { pid } = watched;
  let seen = 0;
  const onLine = (): void => {
    seen++;
  };
  const warm = await open(stage, watched, protocol, WARMING, onLine);
  await changesCost(watched, WARMING, () => seen);
  warm();
  await sleep(SETTLE_MS);
  const alone = await changesCost(watched, 0, () => seen);
  const [memory, cpu] = [residentMb(pid), cpuMs(pid)];
  const close = await open(stage, watched, protocol, WATCHES, onLine);
  const openMs = (cpuMs(pid) - cpu) / WATCHES;
  await sleep(SETTLE_MS);
  const kilobytes = ((residentMb(pid) - memory) * 1024) / WATCHES;
  const eventMs = ((await changesCost(watched, WATCHES, () => seen)) - alone) / (WATCHES * CHANGES);
  close();
  await sleep(SETTLE_MS);
  return { kilobytes, openMs, eventMs };
}

/** A server that does nothing but to keep streams and to write to them. */
async function floor(stage: Stage, protocol: Protocol): Promise<Watched> {
  const name = protocol === 'HTTP/2' ? 'http2-server' : 'https-server';
  const port = await freePort(17443);
  const bare = stage.start(name, process.execPath, [
    path.join(import.meta.dirname, `floors/${name}.ts`),
    ...[String(port), stage.pki.file('server.crt'), stage.pki.file('server.key')],
  ]);
  const client = new Client(stage.pki, port, 1);
  let session: ClientHttp2Session | undefined;
  const change: Request = async () => {
    if (protocol === 'HTTP/1.1') return client.call('PUT', '/');
    session ??= await http2Connection(stage.pki, port);
    return http2Call(session, 'PUT', '/');
  };
  await waitFor(bare, 10, () => change(0).then(() => true));
  return { process: bare, pid: bare.pid, port, target: () => '/watch', change };
}

/** A replica, with one object that changes. */
async function replica(stage: Stage, etcd: string): Promise<Watched> {
  const { pid, port, process: server } = await stage.startServer(etcd);
  const client = new Client(stage.pki, port, 1);
  const send = async (method: string, target: string, n: number): Promise<string> => {
    const body = { metadata: { name: 'watched' }, data: { n: String(n), text: 'x'.repeat(700) } };
    const { text } = await client.call(method, target, { body, text: true });
    return JSON.parse(text).metadata.resourceVersion;
  };
  let revision = await send('PUT', `${MAPS}/watched`, 0).catch(() => send('POST', MAPS, 0));
  return {
    process: server,
    pid,
    port,
    target: () => `${MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=${revision}`,
    change: async (n) => {
      revision = await send('PUT', `${MAPS}/watched`, n + 1);
    },
  };
}

const shown = (value: number, bare: number, digits: number): string =>
  `${value.toFixed(digits)} (${(value / bare).toFixed(1)} of ${bare.toFixed(digits)})`;

const stage = new Stage();
try {
  const etcd = await stage.startEtcd();
  console.log('| each of the watches | KB | ms to open | ms an event |\n|---|---|---|---|');
  for (const protocol of ['HTTP/1.1', 'HTTP/2'] as const) {
    // what one protocol leaves behind in a process would be room for the other
    const [least, own] = [await floor(stage, protocol), await replica(stage, etcd)];
    const [bare, ours] = [await cost(stage, least, protocol), await cost(stage, own, protocol)];
    for (const { process: server } of [least, own]) await server.stop();
    const cells = [
      shown(ours.kilobytes, bare.kilobytes, 1),
      shown(ours.openMs, bare.openMs, 2),
      shown(ours.eventMs, bare.eventMs, 4),
    ];
    console.log(`| ${WATCHES}, ${protocol} | ${cells.join(' | ')} |`);
  }
} finally {
  await stage.stop();
}
