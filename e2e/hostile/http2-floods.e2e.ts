import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { FLOODS, frame, head, indexed, preface, remembered } from '#server/testing/http2-frames.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { Bystander, processorTime } from './bystander.ts';

/** The length of a flood, in milliseconds. */
const FLOODED = 2_000;

/** The largest processor time for a request without credentials, in milliseconds. */
const DEAREST = 50;

/**
 * The longest turn of the event loop, in milliseconds, while many connections send single bytes at once. Node.js parses
 * everything that it has read of each connection, even after the server has closed the connection
 * (docs/performance.md).
 */
const BYTES_TURN_MS = 250;

const MAPS = '/api/v1/namespaces/default/configmaps';

/** Runs some work `times` times at once. */
function each<T>(times: number, work: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, work));
}

describe('floods of HTTP/2 frames and headers', function () {
  this.timeout(300_000);
  const pki = temporaryPki();
  const ca = pki.read('ca.crt');
  const token = 'mallory-has-no-rights';
  const loopProbe = pki.file('loop.json');
  const sockets = new Set<TLSSocket>();
  let etcd: EtcdProcess;
  let replica: Replica;
  let bystander: Bystander;

  before(async () => {
    etcd = await EtcdProcess.start();
    appendFileSync(pki.file('tokens.csv'), `${token},mallory,uid-mallory\n`);
    replica = await startReplica(pki, etcd.endpoint, { loopProbe });
    await replica.request('GET', '/api/v1/namespaces/default');
    await sleep(1_000);
    bystander = await Bystander.beside(replica, loopProbe);
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  });

  /** A connection that reads and drops all that the server sends. */
  async function open(protocol: 'h2' | 'http/1.1'): Promise<TLSSocket> {
    const socket = connect({
      host: '127.0.0.1',
      port: replica.port,
      servername: 'localhost',
      ca,
      ALPNProtocols: [protocol],
    });
    sockets.add(socket);
    await new Promise<void>((resolve) => socket.once('secureConnect', resolve).on('error', () => resolve()));
    return socket.resume();
  }

  /** Writes pieces until the connection ends, or for the length of a flood in milliseconds. */
  async function pour(
    socket: TLSSocket,
    piece: (n: number) => Buffer,
    { ms = FLOODED, atOnce = 2_000 }: { ms?: number; atOnce?: number } = {},
  ): Promise<void> {
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const until = Date.now() + ms;
    for (let n = 0; !socket.destroyed && Date.now() < until; n += atOnce) {
      const pieces = Buffer.concat(Array.from({ length: atOnce }, (_, i) => piece(n + i)));
      if (!socket.write(pieces))
        await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed, sleep(ms)]);
    }
  }

  it('bodies of single bytes on 30 connections of one user: all connections are closed', async () => {
    const byte = frame(0, 0, 1, Buffer.from('x'));
    await bystander.during('bytes', async () => {
      const ended = await each(30, async () => {
        const socket = await open('h2');
        socket.write(Buffer.concat([preface(), frame(1, 4, 1, head(MAPS, { method: 'POST', token }))]));
        await pour(socket, () => byte, { ms: 30_000 });
        return socket.destroyed;
      });
      assert.ok(!ended.includes(false), 'all connections end');
    });
  });

  for (const [when, waits] of [
    ['before the response', false],
    ['after the response', true],
  ] as const) {
    for (const [what, bytes] of [
      ['single bytes', 1],
      ['60 KB', 60_000],
    ] as const) {
      it(`chunks of ${what} on 30 connections, without credentials, ${when}`, async () => {
        const chunk = Buffer.from(`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`);
        await bystander.during(
          'chunks',
          () =>
            each(30, async () => {
              const socket = await open('http/1.1');
              const answered = new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
              socket.write(`POST ${MAPS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
              if (waits) await answered;
              await pour(socket, () => chunk, { atOnce: Math.ceil(2_000 / bytes) });
            }),
          BYTES_TURN_MS,
        );
      });
    }
  }

  it('other floods of frames on 30 connections', async () => {
    for (const [what, piece] of Object.entries(FLOODS)) {
      await bystander.during(what, () =>
        each(30, async () => {
          const socket = await open('h2');
          socket.write(preface());
          await pour(socket, piece);
        }),
      );
    }
  });

  for (const cookies of [90, 190]) {
    it(`headers with ${cookies} cookies on 200 streams of each of 20 connections, without credentials`, async () => {
      await bystander.during('heads', async () => {
        await each(20, async () => {
          const socket = await open('h2');
          socket.write(Buffer.concat([preface(), frame(1, 5, 1, remembered('/', 'x'.repeat(600)))]));
          const heads = Array.from({ length: 200 }, (_, i) => frame(1, 5, 2 * i + 3, indexed(cookies)));
          socket.write(Buffer.concat(heads));
        });
        await sleep(3_000);
      });
    });
  }

  it(`a request without credentials costs at most ${DEAREST} ms`, async () => {
    const get = (path: string, headers: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`;
    const wide = Array.from({ length: 190 }, (_, i) => `Cookie: c${i}=${'x'.repeat(600)}\r\n`).join('');
    const claims = Buffer.from(JSON.stringify({ iss: 'x', sub: 'y'.repeat(50_000) })).toString('base64url');
    const requests: readonly (readonly [what: string, text: string])[] = [
      ['190 cookies', get(MAPS, wide)],
      ['a long token', get(MAPS, `Authorization: Bearer ${'a'.repeat(120_000)}\r\n`)],
      ['a long token with claims', get(MAPS, `Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.${claims}.AAAA\r\n`)],
      ['a long path', get(`/api/v1/${'a/'.repeat(60_000)}`, '')],
      ['a query with very many parameters', get(`${MAPS}?${'a=b&'.repeat(30_000)}`, '')],
      ['a query with many escapes', get(`${MAPS}?labelSelector=${'%61'.repeat(40_000)}`, '')],
      ['thousands of excluded health checks', get(`/healthz?${'exclude=a&'.repeat(12_000)}`, '')],
      [
        'other excluded health checks',
        get(`/readyz?verbose&${Array.from({ length: 12_000 }, (_, i) => `exclude=a${i}`).join('&')}`, ''),
      ],
      ['many media ranges', get('/version', `Accept: ${'a/b;c=d,'.repeat(15_000)}\r\n`)],
      [
        'an upgrade request',
        get(MAPS, `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: ${'a,'.repeat(50_000)}\r\n`),
      ],
      [
        'a large body',
        `POST ${MAPS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/yaml\r\nContent-Length: 100002\r\n\r\n[${'a,'.repeat(50_000)}]`,
      ],
    ];
    const costs: [what: string, ms: number][] = [];
    for (const [what, text] of requests) {
      const times = 10;
      const before = processorTime(replica.pid);
      for (let i = 0; i < times; i++) {
        const socket = await open('http/1.1');
        const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
        socket.write(text);
        await Promise.race([closed, sleep(5_000)]);
        socket.destroy();
      }
      costs.push([what, (processorTime(replica.pid) - before) / times]);
    }
    for (const [what, ms] of costs) console.log(`      ${what}: ${ms} ms with its handshake`);
    assert.deepEqual(
      costs.filter(([, ms]) => ms > DEAREST),
      [],
    );
  });
});
