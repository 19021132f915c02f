import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2, { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import type { IncomingRequest, OutgoingResponse } from '../../api/exchange.ts';
import { FLOODS, frame, get as getFrame, head, preface } from '../../testing/http2-frames.ts';
import { testPki } from '../../testing/replica.ts';
import { readBody } from '../read-body.ts';
import { type Http2Service, Http2Sessions, type SessionTimes } from './sessions.ts';

const PATIENT: SessionTimes = { firstRequest: 60_000, idle: 60_000, stuck: 60_000, ping: 60_000, look: 20, hear: 50 };

describe('HTTP/2 connections', function () {
  this.timeout(60_000);
  const pki = testPki();
  const tls = { key: pki.read('server.key'), cert: pki.read('server.crt') };
  let server: Server;
  let sessions: Http2Sessions;
  let sockets: TLSSocket[] = [];
  let asked: { request: IncomingRequest; response: OutgoingResponse }[] = [];
  let clients: { destroy(): void }[] = [];

  const start = async (service: Partial<Http2Service> = {}, times: Partial<SessionTimes> = {}) => {
    const respond: Http2Service['respond'] = (request, response) => {
      asked.push({ request, response });
      if (request.url !== '/later') response.end('ok');
    };
    const log = pino({ level: 'silent' });
    const all = { respond, maxStreams: 0, goawayChance: 0, ...service };
    sessions = new Http2Sessions(all, log, { times: { ...PATIENT, ...times } });
    server = createServer({ ...tls, ALPNProtocols: ['h2'] }, (socket) => {
      sockets.push(socket);
      sessions.accept(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  };
  const port = () => (server.address() as { port: number }).port;
  const client = (): ClientHttp2Session => {
    const session = http2.connect(`https://127.0.0.1:${port()}`, { ca: pki.read('ca.crt'), servername: 'localhost' });
    session.on('error', () => {});
    clients.push(session);
    return session;
  };
  const rawClient = async (): Promise<TLSSocket> => {
    const socket = connect({ host: '127.0.0.1', port: port(), rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    socket.on('error', () => {});
    clients.push(socket);
    await once(socket, 'secureConnect');
    socket.write(preface());
    return socket;
  };
  const answerOf = async (stream: ClientHttp2Stream) => {
    stream.on('error', () => {});
    const [headers] = await once(stream, 'response');
    let text = '';
    for await (const chunk of stream) text += chunk;
    return { headers, text };
  };
  const get = (session: ClientHttp2Session, path = '/') => answerOf(session.request({ ':path': path }));

  beforeEach(() => {
    asked = [];
    sockets = [];
    clients = [];
  });

  afterEach(async () => {
    for (const one of clients) one.destroy();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await sessions.ended(closed, 0, 100);
  });

  it('present requests and responses in the same form as HTTP/1.1', async () => {
    await start({
      respond: async (request, response) => {
        response.setHeader('Connection', 'keep-alive');
        response.setHeader('X-Two', ['a', 'b']);
        const body = await readBody(request, performance.now() + 30_000);
        const { method, url, headers, headersDistinct, rawHeaders } = request;
        const framed = headers['transfer-encoding'] ?? headers['content-length'];
        const told = { method, url, framed, x: headersDistinct['x-a'], pseudo: rawHeaders.some((n) => n[0] === ':') };
        response.writeHead(201);
        response.end(
          JSON.stringify({ ...told, host: headers.host, body: body.toString(), complete: request.complete }),
        );
      },
    });
    const session = client();
    const sent = session.request({ ':method': 'POST', ':path': '/a?b=c', 'x-a': ['1', '2'] });
    sent.end('text');
    const { headers, text } = await answerOf(sent);
    assert.equal(headers[':status'], 201);
    assert.equal(headers['connection'], undefined);
    assert.equal(headers['x-two'], 'a, b');
    assert.deepEqual(JSON.parse(text), {
      method: 'POST',
      url: '/a?b=c',
      framed: 'chunked',
      x: ['1', '2'],
      pseudo: false,
      host: `localhost:${port()}`,
      body: 'text',
      complete: true,
    });
    const head = await answerOf(session.request({ ':method': 'HEAD', ':path': '/' }));
    assert.deepEqual([head.headers[':status'], head.text], [201, '']);
  });

  it('process many requests at once, up to the limit of streams', async () => {
    await start({ maxStreams: 7 });
    const session = client();
    await once(session, 'remoteSettings');
    assert.equal(session.remoteSettings.maxConcurrentStreams, 7);
    const answers = Array.from({ length: 20 }, () => get(session));
    assert.deepEqual(new Set((await Promise.all(answers)).map(({ text }) => text)), new Set(['ok']));
  });

  it('process a hundred requests of a client that has not received the limit yet', async () => {
    await start();
    const session = client();
    const answers = await Promise.all(Array.from({ length: 100 }, () => get(session)));
    assert.deepEqual(new Set(answers.map(({ text }) => text)), new Set(['ok']));
  });

  it('accept a bounded amount of body data for streams that the server has ended', async () => {
    await start({
      respond: (request, response) => {
        asked.push({ request, response });
        response.once('finish', () => request.destroy());
        response.end('ok');
      },
    });
    const socket = await rawClient();
    socket.resume();
    const streams = Array.from({ length: 90 }, (_, i) => 2 * i + 1);
    const post = (stream: number) => frame(1, 4, stream, head('/', { method: 'POST' }));
    socket.write(Buffer.concat(streams.map(post)));
    while (asked.length < 90 || asked.some(({ response }) => !response.destroyed)) await sleep(5);
    await sleep(200);
    // As much data as the connection accepts for bodies that are not read.
    const rest = Buffer.concat(streams.map((stream) => frame(0, 0, stream, Buffer.alloc(16_384))));
    socket.write(Buffer.concat([rest, rest.subarray(0, rest.length / 3)]));
    await sleep(200);
    socket.write(getFrame(181, '/'));
    for (let n = 0; asked.length < 91; n++, await sleep(5)) assert.ok(n < 1_000 && !socket.destroyed, 'it is ended');
    for (let n = 0; !socket.destroyed; n++, await sleep(5)) {
      assert.ok(n < 1_000, 'what goes on for ever is ended');
      socket.write(frame(0, 0, 1, Buffer.alloc(16_384)));
    }
  });

  it('allow fewer streams until a request is authenticated', async () => {
    await start();
    const session = client();
    await once(session, 'remoteSettings');
    assert.equal(session.remoteSettings.maxConcurrentStreams, 100);
    await get(session);
    const told = once(session, 'remoteSettings');
    asked[0]!.request.madeBy!('jane');
    await told;
    assert.equal(session.remoteSettings.maxConcurrentStreams, 250);
  });

  it('are not read while requests wait for their turn, and all requests are answered', async () => {
    await start({
      maxStreams: 10_000,
      respond: (request, response) => {
        asked.push({ request, response });
        request.madeBy!('jane');
        for (const end = performance.now() + (asked.length < 300 ? 1 : 0); performance.now() < end; );
        response.end();
      },
    });
    const socket = await rawClient();
    socket.write(getFrame(1, '/'));
    socket.resume();
    while (asked.length < 1) await sleep(5);
    await sleep(50);
    const heads = Array.from({ length: 6_000 }, (_, i) => getFrame(2 * i + 3, `/${'a'.repeat(100)}`));
    const size = heads[0]!.length;
    const before = sockets[0]!.bytesRead;
    socket.write(Buffer.concat(heads));
    while (asked.length < 300) await new Promise((resolve) => setImmediate(resolve));
    const ahead = sockets[0]!.bytesRead - before - asked.length * size;
    // Heads in one piece are read at once.
    assert.ok(ahead < 256 * 1024, `${ahead} of ${heads.length * size} bytes are read ahead`);
    while (asked.length < 6_001) await sleep(5);
  });

  it('accept bodies in small frames', async () => {
    let length = 0;
    await start({
      respond: async (request, response) => {
        length = (await readBody(request, performance.now() + 30_000)).length;
        response.end('ok');
      },
    });
    const socket = await rawClient();
    socket.resume();
    socket.write(
      Buffer.concat([
        FLOODS['bodies of single bytes']!(0),
        ...Array<Buffer>(1_500).fill(frame(0, 0, 1, Buffer.from('x'))),
        frame(0, 1, 1),
      ]),
    );
    while (length === 0) await sleep(5);
    assert.equal(length, 1_500);
  });

  it('refuse requests with very many header fields', async () => {
    await start();
    const session = client();
    const cookies = (count: number) => ({ ':path': '/', cookie: Array.from({ length: count }, () => 'a=b') });
    assert.equal((await answerOf(session.request(cookies(80)))).text, 'ok');
    await assert.rejects(answerOf(session.request(cookies(190))));
  });

  it('close the response of a stream that the client resets, and no other response', async () => {
    await start();
    const session = client();
    const [one, other] = [session.request({ ':path': '/later' }), session.request({ ':path': '/later' })];
    one.on('error', () => {});
    while (asked.length < 2) await sleep(5);
    const gone = new Promise<void>((resolve) => asked[0]!.response.once('close', resolve));
    one.close(constants.NGHTTP2_CANCEL);
    await gone;
    assert.equal(asked[0]!.response.destroyed, true);
    assert.equal(asked[0]!.response.headersSent, false);
    asked[0]!.response.end('too late');
    asked[1]!.response.end('ok');
    assert.equal((await answerOf(other)).text, 'ok');
  });

  it('finish requests in progress, and requests that arrive meanwhile, when the server shuts down', async () => {
    await start();
    const session = client();
    const stream = session.request({ ':path': '/later' });
    while (asked.length < 1) await sleep(5);
    const told = once(session, 'goaway');
    sessions.leave();
    const [code, last] = await told;
    assert.deepEqual([code, last], [constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1]);
    asked[0]!.response.end('ok');
    assert.equal((await answerOf(stream)).text, 'ok');
    await once(session, 'close');
  });

  for (const [what, service, path] of [
    ['a response with Connection: close', {}, '/'],
    ['a request, by the chance that a flag sets', { goawayChance: 1 }, '/'],
  ] as const) {
    it(`are ended by GOAWAY after ${what}`, async () => {
      await start({
        respond: (_request, response) => {
          if (what === 'a response with Connection: close') response.setHeader('Connection', 'close');
          response.end('ok');
        },
        ...service,
      });
      const session = client();
      const told = once(session, 'goaway');
      assert.equal((await get(session, path)).text, 'ok');
      assert.equal((await told)[0], constants.NGHTTP2_NO_ERROR);
    });
  }

  for (const [what, piece] of Object.entries(FLOODS)) {
    it(`are closed if the client sends thousands of ${what}, and other connections stay open`, async () => {
      await start({}, { look: 500 });
      const other = client();
      assert.equal((await get(other)).text, 'ok');
      const socket = await rawClient();
      socket.resume();
      const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      const more = (from: number) => Buffer.concat(Array.from({ length: 500 }, (_, i) => piece(from + i)));
      let bytes = 0;
      for (let n = 0; !socket.destroyed && bytes < 500 << 20; n += 500) {
        const piece = more(n);
        bytes += piece.length;
        if (!socket.write(piece)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), ended]);
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.ok(socket.destroyed, `${bytes} bytes were taken`);
      // A stream that is reset before it is handled is never handled.
      assert.ok(asked.length < 20, `${asked.length} requests were begun`);
      assert.equal((await get(other)).text, 'ok');
    });
  }

  it('alternate between clients if one client sends a hundred requests', async () => {
    const order: string[] = [];
    await start({
      respond: (request, response) => {
        for (const end = performance.now() + 2; performance.now() < end; );
        order.push(request.url ?? '');
        response.end('ok');
      },
    });
    const [many, one] = [client(), client()];
    await Promise.all([get(many, '/'), get(one, '/')]);
    order.length = 0;
    const all = Array.from({ length: 100 }, (_, i) => get(many, `/many-${i}`));
    while (order.length < 5) await sleep(1);
    await get(one, '/one');
    assert.ok(order.indexOf('/one') < 60, String(order.indexOf('/one')));
    await Promise.all(all);
    assert.equal(order.length, 101);
  });

  it('are closed if the client sends no request, or no more requests', async () => {
    await start({}, { firstRequest: 2_000, idle: 200 });
    const silent = await rawClient();
    silent.resume();
    const session = client();
    const ended = once(session, 'close');
    await get(session);
    await once(silent, 'close');
    await ended;
  });

  it('are closed if the client no longer answers pings, even if a stream is open', async () => {
    await start({}, { ping: 50, stuck: 1_000 });
    const socket = await rawClient();
    socket.write(getFrame(1, '/later'));
    while (asked.length < 1) await sleep(5);
    socket.pause();
    const gone = new Promise<void>((resolve) => asked[0]!.response.once('close', resolve));
    await gone;
    const session = client();
    const stream = session.request({ ':path': '/later' });
    while (asked.length < 2) await sleep(5);
    // A connection that answers stays open.
    await sleep(1_500);
    asked[1]!.response.end('ok');
    assert.equal((await answerOf(stream)).text, 'ok');
  });

  it('pause only the stream that the client does not read', async () => {
    let waiting = 0;
    await start({
      respond: (request, response) => {
        asked.push({ request, response });
        if (request.url !== '/much') {
          response.end('ok');
          return;
        }
        const more = () => {
          while (response.writableLength < response.mayWait! && !response.destroyed)
            response.write(Buffer.alloc(16_384));
          waiting = response.writableLength;
        };
        response.on('drain', more);
        more();
      },
    });
    const session = client();
    await once(session, 'connect');
    session.setLocalWindowSize(10 << 20);
    const unread = session.request({ ':path': '/much' });
    unread.on('error', () => {});
    await once(unread, 'response');
    for (let i = 0; i < 20; i++) assert.equal((await get(session)).text, 'ok');
    assert.ok(waiting >= asked[0]!.response.mayWait! && waiting < 200_000, String(waiting));
    asked[0]!.response.destroy();
    await once(unread, 'close');
    assert.equal((await get(session)).text, 'ok');
  });
});
