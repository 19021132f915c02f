import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { testPki } from '../testing/replica.ts';
import { type Listener, listen } from './listener.ts';

/** More bytes than the operating system buffers for a client that does not read. */
const LARGE = Buffer.alloc(16 << 20, 'x');

describe('data that a client sends before it has read the previous answer', () => {
  const pki = testPki();
  let listener: Listener;
  let socket: TLSSocket;
  /** The requests that have begun, and the answers to them. */
  let begun: [IncomingMessage, ServerResponse][];

  /** Answers each request with its own content. */
  const answer: RequestListener = async (request, response) => {
    begun.push([request, response]);
    if (request.url === '/late') return;
    if (request.url === '/large') {
      response.end(LARGE);
      return;
    }
    let length = 0;
    for await (const chunk of request) length += chunk.length;
    response.end(`${request.url} ${length}`);
  };

  beforeEach(async () => {
    begun = [];
    listener = await listen(answer, {
      certFile: pki.file('server.crt'),
      keyFile: pki.file('server.key'),
      tls: { minVersion: 'TLSv1.2', ciphers: undefined },
      clientCa: () => [],
      mayUpgrade: (path) => path === '/upgrade',
      address: '127.0.0.1',
      port: 0,
      log: pino({ level: 'silent' }),
    });
    socket = connect({ host: '127.0.0.1', port: listener.port, servername: 'localhost', ca: pki.read('ca.crt') });
    socket.on('error', () => {}).pause();
    await once(socket, 'secureConnect');
  });

  afterEach(async () => {
    socket.destroy();
    await listener.drain();
  });

  const head = (line: string, ...fields: string[]) =>
    [`${line} HTTP/1.1`, ...(line.endsWith('hostless') ? [] : ['Host: x']), ...fields, '', ''].join('\r\n');
  const post = (path: string, body: string) => head(`POST ${path}`, `Content-Length: ${body.length}`) + body;
  const until = async (check: () => boolean) => {
    for (let n = 0; !check(); n++, await sleep(5)) assert.ok(n < 1000);
  };

  /** All data from the server until it ends the connection, or until `count` answers have started. */
  async function hear(count = Number.POSITIVE_INFINITY): Promise<string> {
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1'))).resume();
    for (let n = 0; !socket.closed && heard.split('HTTP/1.1 ').length <= count; n++, await sleep(5))
      assert.ok(n < 1000, heard.slice(-1000));
    await sleep(20);
    return heard;
  }
  const statuses = (heard: string) => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

  it('is read after the client reads the answer, even if it is a body of many TLS records', async () => {
    socket.write(head('GET /large'));
    await until(() => begun.length === 1 && begun[0]![1].req.socket.writableNeedDrain);
    socket.write(post('/one', 'y'.repeat(100_000)) + post('/two', 'y'.repeat(200_000)) + head('GET /three'));
    await sleep(200);
    assert.equal(begun.length, 1);
    const heard = await hear(4);
    assert.deepEqual(statuses(heard), [200, 200, 200, 200]);
    assert.match(heard, /xHTTP.*\/one 100000HTTP.*\/two 200000HTTP.*\/three 0/s);
  });

  it('is read even if the connection has waited for its client before', async () => {
    for (const round of [1, 2, 3]) {
      socket.removeAllListeners('data').pause();
      socket.write(head('GET /large'));
      await until(() => begun.length === 2 * round - 1 && begun.at(-1)![1].req.socket.writableNeedDrain);
      socket.write(post('/one', 'y'.repeat(300_000)));
      assert.match(await hear(2), /\/one 300000$/);
    }
  });

  it('is read again after a single request had to wait', async () => {
    for (const round of [0, 1, 2]) {
      socket.removeAllListeners('data').pause();
      socket.write(head('GET /large'));
      await until(() => begun.length === 3 * round + 1 && begun.at(-1)![1].req.socket.writableNeedDrain);
      socket.write(head('GET /one'));
      await sleep(50);
      assert.match(await hear(2), /\/one 0$/);
      socket.removeAllListeners('data');
      socket.write(head('GET /two'));
      assert.match(await hear(1), /\/two 0$/);
    }
  });

  const refused: [about: string, pieces: string[], statuses: number[]][] = [
    ['data that is not HTTP', ['GET nonsense\r\n\r\n'], [200, 400]],
    ['data that is not HTTP, several times', ['GET nonsense\r\n\r\n', 'nonsense\r\n\r\n', 'nonsense'], [200, 400]],
    ['a method that the parser does not know', [head('FOO /')], [200, 405]],
    ['two unknown methods', [head('FOO /'), head('FOO /')], [200, 405]],
    ['a request without a host', [head('GET /hostless')], [200, 400]],
    ['a request without a host, and another request after it', [head('GET /hostless'), head('FOO /')], [200, 400]],
    ['an expectation that the server does not meet', [head('GET /', 'Expect: wonders'), head('FOO /')], [200, 417]],
    ['a body with invalid chunks', [head('POST /one', 'Transfer-Encoding: chunked'), 'zzz\r\n'], [200, 400]],
  ];
  for (const [about, pieces, expected] of refused) {
    it(`is refused after the previous answer: ${about}`, async () => {
      socket.write(head('GET /late'));
      await until(() => begun.length === 1);
      for (const piece of pieces) socket.write(piece);
      await sleep(100);
      begun[0]![1].write('whole ');
      await sleep(20);
      begun[0]![1].end('answer');
      const heard = await hear();
      assert.match(heard, /whole \r\n6\r\nanswer\r\n/);
      assert.deepEqual(statuses(heard), expected);
    });
  }

  it('is refused at once if it is a bad body of a request that has no answer yet', async () => {
    socket.write(head('POST /one', 'Transfer-Encoding: chunked'));
    await until(() => begun.length === 1);
    socket.write('zzz\r\n');
    assert.deepEqual(statuses(await hear()), [400]);
  });

  it('ends the connection if it is a bad body of a request whose answer has begun', async () => {
    socket.write(head('POST /late', 'Transfer-Encoding: chunked'));
    await until(() => begun.length === 1);
    begun[0]![1].write('half');
    await sleep(20);
    socket.write('zzz\r\n');
    const heard = await hear();
    assert.deepEqual(statuses(heard), [200]);
    assert.match(heard, /half\r\n$/);
  });

  for (const [about, first] of [
    ['a method that the parser does not know', head('FOO /')],
    ['a request without a host', head('GET /hostless')],
    ['no HTTP', 'nonsense\r\n\r\n'],
  ])
    it(`does not affect other clients, after ${about}`, async () => {
      for (const piece of [
        first!,
        head('FOO /'),
        head('GET /upgrade', 'Connection: upgrade', 'Upgrade: x'),
        'nonsense',
      ])
        socket.write(piece);
      assert.equal(statuses(await hear()).length, 1);
    });

  it('ends the connection if it is large and not HTTP', async () => {
    socket.write(head('GET /late'));
    await until(() => begun.length === 1);
    socket.resume();
    const garbage = 'nonsense'.repeat(20_000);
    for (let n = 0; n < 200 && socket.writable; n++) {
      socket.write(garbage);
      await sleep(1);
    }
    await until(() => socket.closed);
    assert.equal(begun.length, 1);
  });
});
