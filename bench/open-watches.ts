import type { ClientHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pki } from '#scripts/pki.ts';
import { Client } from './client.ts';
import { http2Connection, http2Watch } from './http2-connection.ts';
import type { Request } from './measure.ts';
import { cpuMs, residentMb } from './process-usage.ts';

const GAP_MS = 100;
/** How many are opened at the same time. */
const OPENING = 50;
/** Time for garbage to go, and for events that should not come. */
const SETTLE_MS = 3000;

export type Protocol = 'HTTP/1.1' | 'HTTP/2';

/** A server with something to watch. */
export interface Watched {
  readonly pid: number;
  readonly port: number;
  /** The path of a watch of all later changes. */
  readonly target: () => string;
  /** Makes one event for each watcher. */
  readonly change: Request;
}

export interface Cost {
  /** The growth of the server for each watch, in kilobytes. */
  readonly kilobytes: number;
  /** Processor time to open one, and to deliver an event to one, in milliseconds. */
  readonly openMs: number;
  readonly eventMs: number;
}

/** How many are opened, how many changes each gets, and how many are streams of one connection of HTTP/2. */
export interface WatchAmounts {
  readonly watches: number;
  readonly changes: number;
  readonly streams: number;
}

/** Opens watches; the result closes them. */
async function open(
  pki: Pki,
  { port, target }: Watched,
  protocol: Protocol,
  { watches: count, streams }: WatchAmounts,
  onLine: () => void,
): Promise<() => void> {
  if (protocol === 'HTTP/1.1') {
    const client = new Client(pki, port, count);
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
  for (let left = count; left > 0; left -= streams) {
    const session = await http2Connection(pki, port);
    sessions.push(session);
    const some = Array.from({ length: Math.min(streams, left) }, () => http2Watch(session, target(), onLine));
    await Promise.all(some);
  }
  return () => {
    for (const session of sessions) session.destroy();
  };
}

/** Processor time of some changes, in milliseconds, once `watches` watchers have them all. */
async function changesCost(
  { pid, change }: Watched,
  { watches, changes }: WatchAmounts,
  seen: () => number,
): Promise<number> {
  const [before, cpu] = [seen(), cpuMs(pid)];
  for (let n = 0; n < changes; n++) {
    await change(n);
    await sleep(GAP_MS);
  }
  while (seen() - before < changes * watches) await sleep(50);
  return cpuMs(pid) - cpu;
}

/**
 * Measures what open watches of a server cost. Some are opened and closed first, so that the engine compiles the code
 * before the measurement.
 */
export async function watchesCost(
  pki: Pki,
  watched: Watched,
  protocol: Protocol,
  amounts: WatchAmounts,
): Promise<Cost> {
  const { pid } = watched;
  const { watches, changes } = amounts;
  const warming = { ...amounts, watches: Math.ceil(watches / 10) };
  let seen = 0;
  const onLine = (): void => {
    seen++;
  };
  const warm = await open(pki, watched, protocol, warming, onLine);
  await changesCost(watched, warming, () => seen);
  warm();
  await sleep(SETTLE_MS);
  const alone = await changesCost(watched, { ...amounts, watches: 0 }, () => seen);
  const [memory, cpu] = [residentMb(pid), cpuMs(pid)];
  const close = await open(pki, watched, protocol, amounts, onLine);
  const openMs = (cpuMs(pid) - cpu) / watches;
  await sleep(SETTLE_MS);
  const kilobytes = ((residentMb(pid) - memory) * 1024) / watches;
  const eventMs = ((await changesCost(watched, amounts, () => seen)) - alone) / (watches * changes);
  close();
  await sleep(SETTLE_MS);
  return { kilobytes, openMs, eventMs };
}

/**
 * Something to watch at a server: one config map, which it makes first, or overwrites.
 *
 * @param namespace the path of an existing namespace
 */
export async function watchedMap(
  client: Client,
  { pid, port }: Pick<Watched, 'pid' | 'port'>,
  namespace: string,
): Promise<Watched> {
  const maps = `${namespace}/configmaps`;
  const send = async (method: string, target: string, n: number): Promise<string> => {
    const body = { metadata: { name: 'watched' }, data: { n: String(n), text: 'x'.repeat(700) } };
    const { text } = await client.call(method, target, { body, text: true });
    return JSON.parse(text).metadata.resourceVersion;
  };
  let revision = await send('PUT', `${maps}/watched`, 0).catch(() => send('POST', maps, 0));
  return {
    pid,
    port,
    target: () => `${maps}?watch=1&allowWatchBookmarks=true&resourceVersion=${revision}`,
    change: async (n) => {
      revision = await send('PUT', `${maps}/watched`, n + 1);
    },
  };
}
