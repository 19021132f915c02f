import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingMessage, type OutgoingHttpHeaders, type RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { StatusError } from '#base/errors/status-error.ts';
import { HttpContext } from '../../http/http-context.ts';
import { Pipeline } from '../../http/pipeline.ts';
import { serveUpgrades } from '../../http/upgrades.ts';
import type { Backend } from '../../outbound/backend.ts';
import { testPki } from '../../testing/replica.ts';
import { relay } from './relay.ts';

const PATH = '/api/v1/namespaces/n/pods/p/proxy/x';
const credentials = {
  headers: new Set(['authorization', 'x-remote-user']),
  prefixes: ['impersonate-'],
  webSocketTokenPrefix: 'token.',
};

interface Received {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

const servers: http.Server[] = [];
const stopping = new AbortController();

async function listening(server: http.Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A server that relays everything to one backend; errors are answered with their code and message. */
async function front(
  backend: Omit<Backend, 'connectTimeoutMs'> & { connectTimeoutMs?: number },
  bytesPerSecond = 0,
  leaving = stopping.signal,
): Promise<number> {
  const listener: RequestListener = (request, response) => {
    const context = new HttpContext(request, response, { requestTimeoutMs: 60_000, leaving });
    const location = (target: string): string => `/prefix${target}`;
    const to = { connectTimeoutMs: 2000, ...backend };
    relay(context, to, '/x?q=%20', { credentials, location, bytesPerSecond }).catch((error: unknown) => {
      response.writeHead(error instanceof StatusError ? error.code : 500);
      response.end((error as Error).message);
    });
  };
  const server = http.createServer(listener);
  serveUpgrades(server, new Pipeline(), listener);
  return listening(server);
}

async function send(port: number, method = 'GET', headers: OutgoingHttpHeaders = {}, body?: string): Promise<Received> {
  const request = http.request({ host: '127.0.0.1', port, method, path: PATH, headers, agent: false });
  request.end(body);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode ?? 0, headers: answer.headers, text };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

describe('relay to a backend', () => {
  after(() => {
    stopping.abort();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('forwards method, path, query, headers and body, but no credentials of the user', async () => {
    let seen: IncomingMessage | undefined;
    const port = await listening(
      http.createServer(async (request, response) => {
        seen = request;
        response.setHeader('Access-Control-Allow-Origin', '*');
        response.setHeader('X-Own', ['1', '2']);
        response.writeHead(418);
        response.end(await textOf(request));
      }),
    );
    const headers = {
      Authorization: 'Bearer secret',
      'Impersonate-User': 'admin',
      'X-Remote-User': 'admin',
      Connection: 'TE, X-Hop',
      TE: 'trailers, deflate;q=0.5',
      'X-Hop': '1',
      'X-Mine': 'a',
      'Transfer-Encoding': 'chunked',
    };
    const answer = await send(await front({ secure: false, host: '127.0.0.1', port }), 'DELETE', headers, 'body');
    assert.deepEqual([answer.status, answer.text, answer.headers['x-own']], [418, 'body', '1, 2']);
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
    assert.deepEqual([seen?.method, seen?.url, seen?.headers['x-mine']], ['DELETE', '/x?q=%20', 'a']);
    for (const name of ['authorization', 'impersonate-user', 'x-remote-user', 'x-hop']) {
      assert.equal(seen?.headers[name], undefined, name);
    }
    assert.equal(seen?.headers.te, 'trailers');
    assert.equal(seen?.headers.host, `127.0.0.1:${port}`);
    assert.equal(seen?.headers['x-forwarded-for'], '127.0.0.1');
  });

  it('uses TLS, and verifies backends if authorities are configured', async () => {
    const pki = testPki();
    const [cert, key, ca] = ['server.crt', 'server.key', 'ca.crt'].map((name) => Buffer.from(pki.read(name)));
    const strange = Buffer.from(pki.read('front-ca.crt'));
    const port = await listening(
      https.createServer({ cert: cert!, key: key! }, (_request, response) => response.end('ok')),
    );
    const to = { secure: true, host: '127.0.0.1', port };
    assert.equal((await send(await front(to))).text, 'ok');
    assert.equal((await send(await front({ ...to, trust: { ca: ca! } }))).text, 'ok');
    assert.equal((await send(await front({ ...to, trust: { ca: strange } }))).status, 503);
  });

  it('forwards data as it arrives', async () => {
    let finish = (): void => {};
    const port = await listening(
      http.createServer((_request, response) => {
        response.write('first');
        finish = () => response.end('last');
      }),
    );
    const request = http.get({
      host: '127.0.0.1',
      port: await front({ secure: false, host: '127.0.0.1', port }),
      path: PATH,
    });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const [chunk] = (await once(answer, 'data')) as [Buffer];
    assert.equal(String(chunk), 'first');
    finish();
    const [rest] = (await once(answer, 'data')) as [Buffer];
    assert.equal(String(rest), 'last');
  });

  it('closes the backend connection when the client leaves', async () => {
    const server = http.createServer(() => {});
    const port = await listening(server);
    const closed = once(server, 'connection').then(([socket]) => once(socket as Socket, 'close'));
    const request = http.get({
      host: '127.0.0.1',
      port: await front({ secure: false, host: '127.0.0.1', port }),
      path: PATH,
    });
    request.on('error', () => {});
    await once(server, 'request');
    request.destroy();
    await closed;
  });

  it('rewrites redirects to the path of the proxy', async () => {
    const port = await listening(
      http.createServer((_request, response) => response.writeHead(302, { Location: '/login' }).end()),
    );
    const answer = await send(await front({ secure: false, host: '127.0.0.1', port }));
    assert.deepEqual([answer.status, answer.headers.location], [302, '/prefix/login']);
  });

  // Bytes after the head already belong to the new protocol.
  for (const [method, length, sent] of [
    ['GET', undefined, undefined],
    ['POST', undefined, '0'],
    ['POST', '0', '0'],
    ['POST', '5', '0'],
  ] as const)
    it(`connects both sides if the backend switches protocols: ${method}, ${length ?? 'no'} length`, async () => {
      let protocol: string | undefined;
      let framing: (string | undefined)[] = [];
      const backend = http.createServer();
      backend.on('upgrade', (request: IncomingMessage, socket: Socket) => {
        protocol = request.headers['sec-websocket-protocol'];
        framing = [request.headers['content-length'], request.headers['transfer-encoding']];
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello ');
        socket.pipe(socket);
      });
      const port = await listening(backend);
      const request = http.request({
        host: '127.0.0.1',
        port: await front({ secure: false, host: '127.0.0.1', port }),
        method,
        path: PATH,
        headers: {
          Connection: 'Upgrade',
          Upgrade: 'echo',
          'Sec-WebSocket-Protocol': 'token.c2VjcmV0, v4',
          ...(length === undefined ? {} : { 'Content-Length': length }),
        },
      });
      if (length === undefined) request.removeHeader('transfer-encoding');
      request.end();
      const [answer, socket, head] = (await once(request, 'upgrade')) as [IncomingMessage, Socket, Buffer];
      assert.deepEqual([answer.statusCode, answer.headers.upgrade, protocol], [101, 'echo', 'v4']);
      let text = String(head);
      socket.on('data', (chunk: Buffer) => {
        text += String(chunk);
      });
      socket.end('world');
      await once(socket, 'close');
      assert.equal(text, 'hello world');
      assert.deepEqual(framing, [sent, undefined]);
    });

  it('limits the rate of connected streams, and loses no data at their end', async () => {
    const backend = http.createServer();
    backend.on('upgrade', (_request, socket: Socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
      socket.end(Buffer.alloc(6_000, 'x'));
    });
    const to = { host: '127.0.0.1', port: await listening(backend), secure: false };
    const request = http.request({
      host: '127.0.0.1',
      port: await front(to, 20_000),
      path: PATH,
      headers: { Connection: 'Upgrade', Upgrade: 'echo' },
    });
    const started = performance.now();
    request.end();
    const [, socket, head] = (await once(request, 'upgrade')) as [IncomingMessage, Socket, Buffer];
    let received = head.length;
    for await (const chunk of socket) received += (chunk as Buffer).length;
    assert.equal(received, 6_000);
    assert.ok(performance.now() - started >= 190, 'two thirds of it waited');
  });

  it('ends connected streams at shutdown, accepts no new ones, and finishes responses', async () => {
    const leave = new AbortController();
    const backend = http.createServer((_request, response) => {
      response.write('first');
      if (leave.signal.aborted) response.end('last');
      else leave.signal.addEventListener('abort', () => response.end('last'));
    });
    backend.on('upgrade', (_request, socket: Socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
      socket.pipe(socket);
    });
    const to = { host: '127.0.0.1', port: await listening(backend), secure: false };
    const port = await front(to, 0, leave.signal);
    const upgrade = { Connection: 'Upgrade', Upgrade: 'echo' };
    const request = http.request({ host: '127.0.0.1', port, path: PATH, headers: upgrade }).end();
    const [, socket] = (await once(request, 'upgrade')) as [IncomingMessage, Socket];
    const plain = http.get({ host: '127.0.0.1', port, path: PATH });
    const [answer] = (await once(plain, 'response')) as [IncomingMessage];
    const closed = once(socket.resume(), 'close');
    leave.abort();
    await closed;
    assert.equal(await textOf(answer), 'firstlast');
    assert.equal((await send(port, 'GET', upgrade)).status, 429);
    assert.equal((await send(port)).status, 200);
  });

  it('forwards the answer if the backend does not switch protocols', async () => {
    const port = await listening(http.createServer((_request, response) => response.writeHead(403).end('no')));
    const answer = await send(await front({ secure: false, host: '127.0.0.1', port }), 'GET', {
      Connection: 'Upgrade',
      Upgrade: 'echo',
    });
    assert.deepEqual([answer.status, answer.text, answer.headers.connection], [403, 'no', 'close']);
  });

  it('reports which problem a backend has', async () => {
    const dead = await listening(http.createServer());
    servers.pop()!.close();
    const refused = await send(await front({ secure: false, host: '127.0.0.1', port: dead }));
    assert.equal(refused.status, 503);
    assert.match(
      refused.text,
      /^error trying to reach service: dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/,
    );
    const garbled = http.createServer();
    garbled.on('connection', (socket: Socket) => socket.end('what?\r\n\r\n'));
    assert.equal(
      (await send(await front({ secure: false, host: '127.0.0.1', port: await listening(garbled) }))).status,
      503,
    );
    for (const status of ['100 Continue', '102 Processing']) {
      const chatty = http.createServer();
      chatty.on('connection', (socket: Socket) => {
        socket.on('error', () => {});
        socket.write(`HTTP/1.1 ${status}\r\n\r\n`.repeat(100_000));
      });
      const answer = await send(await front({ secure: false, host: '127.0.0.1', port: await listening(chatty) }));
      assert.deepEqual([answer.status, /too many 1xx/.test(answer.text)], [503, true], answer.text);
    }
    const mute = http.createServer();
    mute.on('connection', (socket: Socket) => socket.pause());
    const slow = { secure: true, host: '127.0.0.1', port: await listening(mute), connectTimeoutMs: 100 };
    assert.equal((await send(await front(slow))).status, 503);
  });
});
