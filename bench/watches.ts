import type { ClientHttp2Session } from 'node:http2';
import path from 'node:path';
import { type Background, freePort, waitFor } from '#scripts/processes.ts';
import { Client } from './client.ts';
import { http2Call, http2Connection } from './http2-connection.ts';
import type { Request } from './measure.ts';
import { type Protocol, type Watched, watchedMap, watchesCost } from './open-watches.ts';
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
const amounts = { watches: WATCHES, streams: STREAMS, changes: CHANGES };

/** A server with something to watch. */
interface Server extends Watched {
  readonly process: Background;
}

/** A server that does nothing but to keep streams and to write to them. */
async function floor(stage: Stage, protocol: Protocol): Promise<Server> {
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
async function replica(stage: Stage, etcd: string): Promise<Server> {
  const started = await stage.startServer(etcd);
  const client = new Client(stage.pki, started.port, 1);
  return { ...(await watchedMap(client, started, '/api/v1/namespaces/default')), process: started.process };
}

const shown = (value: number, bare: number, digits: number): string =>
  `${value.toFixed(digits)} (${(value / bare).toFixed(1)} of ${bare.toFixed(digits)})`;

const stage = new Stage();
try {
  const etcd = await stage.startEtcd();
  console.log('| each of the watches | KB | ms to open | ms an event |\n|---|---|---|---|');
  for (const protocol of ['HTTP/1.1', 'HTTP/2'] as const) {
    // Each protocol gets a new process, because otherwise the second one would use memory that the first one has freed.
    const [least, own] = [await floor(stage, protocol), await replica(stage, etcd)];
    const [bare, ours] = [
      await watchesCost(stage.pki, least, protocol, amounts),
      await watchesCost(stage.pki, own, protocol, amounts),
    ];
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
