import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Credentials, Identity } from '../connection/credentials.ts';
import { type ApiError, ConnectionError, DeadlineError, FencedError } from '../errors.ts';
import { waitUntil } from '../testing/wait-until.ts';
import type { Connections } from './connections.ts';
import { LightConnections } from './light-connections.ts';
import { Pools } from './pools.ts';
import { RateLimit } from './rate-limit.ts';
import { Transport, type TransportOptions } from './transport.ts';

type Answerer = (request: http.IncomingMessage, response: http.ServerResponse, count: number) => void;

const anybody: Credentials = { get: async () => ({ tls: {}, headers: {} }), refused: () => false };

const kinds: readonly (readonly [name: string, connections: (origin: string) => Connections])[] = [
  ['pools', (origin) => new Pools(origin)],
  ['light connections', (origin) => new LightConnections(origin)],
];

for (const [name, connectionsTo] of kinds)
  describe(`transport over ${name}`, () => {
    const cleanUp: (() => unknown)[] = [];
    afterEach(async () => {
      for (const clean of cleanUp.splice(0).reverse()) await clean();
    });

    /** A server whose answers the test chooses, and a transport to it. */
    async function start(answer: Answerer, options: Partial<TransportOptions> = {}) {
      let count = 0;
      const server = http.createServer((request, response) => answer(request, response, ++count));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const connections = connectionsTo(`http://127.0.0.1:${port}`);
      const transport = new Transport({
        server: `http://127.0.0.1:${port}/base/`,
        credentials: anybody,
        connections,
        ...options,
      });
      cleanUp.push(
        () => server.close() && server.closeAllConnections(),
        () => transport.close(),
      );
      return { transport, server, count: () => count };
    }

    const status = (response: http.ServerResponse, code: number, headers: http.OutgoingHttpHeaders = {}) => {
      response.writeHead(code, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ kind: 'Status', code, reason: `R${code}`, message: `m${code}` }));
    };

    it('reports each attempt, including retries and requests without an answer', async () => {
      const attempts: unknown[] = [];
      const { transport, server } = await start(
        (request, response, count) => {
          if (request.method === 'POST') request.socket.destroy();
          else status(response, count === 1 ? 429 : 200, { 'retry-after': '0' });
        },
        { onAttempt: ({ method, host, status, seconds }) => attempts.push([method, host, status, seconds >= 0]) },
      );
      await transport.call({ method: 'GET', path: '/' });
      await assert.rejects(transport.call({ method: 'POST', path: '/' }), ConnectionError);
      const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      assert.deepEqual(attempts, [
        ['GET', host, 429, true],
        ['GET', host, 200, true],
        ['POST', host, undefined, true],
      ]);
    });

    it('prepends the path of the server and sends headers and body', async () => {
      const { transport } = await start((request, response) => {
        let text = '';
        request.on('data', (piece) => (text += piece));
        request.on('end', () => response.end(`${request.method} ${request.url} ${request.headers['x-a']} ${text}`));
      });
      const answer = await transport.call({ method: 'PUT', path: '/a?b=c', headers: { 'x-a': '1' }, body: 'hé' });
      assert.equal(answer.text, 'PUT /base/a?b=c 1 hé');
    });

    it('reuses the connection after a DELETE with a body', async () => {
      const connections = new Set<unknown>();
      const { transport } = await start((request, response) => {
        connections.add(request.socket);
        request.resume().on('end', () => response.end('{}'));
      });
      for (let i = 0; i < 20; i++) await transport.call({ method: 'DELETE', path: '/a', body: '{}' });
      assert.ok(connections.size < 5, `${connections.size} connections`);
    });

    for (const [name, method, code, headers, calls] of [
      ['retries a write after 429', 'POST', 429, { 'retry-after': '0' }, 2],
      ['retries a write after 503 with Retry-After', 'POST', 503, { 'retry-after': '0' }, 2],
      ['retries a read after 503', 'GET', 503, {}, 2],
      ['retries after 429 without Retry-After', 'GET', 429, {}, 2],
      ['does not retry a write after 503 without Retry-After', 'POST', 503, {}, 1],
      ['does not retry a refused request', 'GET', 403, {}, 1],
      ['does not retry after an internal error', 'GET', 500, {}, 1],
    ] as const)
      it(`${name}`, async () => {
        const { transport, count } = await start((_, response, nth) =>
          nth === 1 ? status(response, code, headers) : response.end('fine'),
        );
        const call = transport.call({ method, path: '/', body: method === 'POST' ? '{}' : undefined });
        if (calls === 2) assert.equal((await call).text, 'fine');
        else
          await assert.rejects(call, (error: ApiError) => {
            assert.deepEqual([error.code, error.reason, error.message], [code, `R${code}`, `m${code}`]);
            return true;
          });
        assert.equal(count(), calls);
      });

    it('does not retry a call with asksAgain', async () => {
      const { transport, count } = await start((_, response) => status(response, 429, {}));
      const call = transport.call({ method: 'POST', path: '/', body: '{}', asksAgain: true });
      await assert.rejects(call, { code: 429 });
      assert.equal(count(), 1);
    });

    for (const [headers, calls] of [
      [{}, 1],
      [{ 'retry-after': '0' }, 2],
    ] as const)
      it(`sends the request ${calls} times without repeatsReads after a 503 with ${JSON.stringify(headers)}`, async () => {
        const answer: Answerer = (_, response, nth) =>
          nth === 1 ? status(response, 503, headers) : response.end('fine');
        const { transport, count } = await start(answer, { repeatsReads: false });
        const [outcome] = await Promise.allSettled([transport.call({ method: 'GET', path: '/' })]);
        assert.equal(outcome.status, calls === 1 ? 'rejected' : 'fulfilled');
        assert.equal(count(), calls);
      });

    it('retries a read when the connection breaks, but not a write', async () => {
      const { transport, count } = await start((request, response, nth) =>
        nth === 1 || request.method === 'POST' ? request.socket.destroy() : response.end('fine'),
      );
      assert.equal((await transport.call({ method: 'GET', path: '/' })).text, 'fine');
      assert.equal(count(), 2);
      await assert.rejects(
        transport.call({ method: 'POST', path: '/', body: '{}' }),
        (error: ConnectionError) => error instanceof ConnectionError && error.sent,
      );
      assert.equal(count(), 3);
    });

    it('reports that nothing was sent if the server does not listen', async () => {
      const { transport, server } = await start(() => {});
      server.close();
      await once(server, 'close');
      await assert.rejects(
        transport.call({ method: 'POST', path: '/', body: '{}' }),
        (error: ConnectionError) => error instanceof ConnectionError && !error.sent,
      );
    });

    it('refreshes refused credentials once', async () => {
      let token = 1;
      const credentials: Credentials = {
        get: async (): Promise<Identity> => ({ tls: {}, headers: { authorization: `Bearer ${token}` } }),
        refused: () => ++token > 0,
      };
      const { transport, count } = await start(
        (request, response) =>
          request.headers.authorization === 'Bearer 2' ? response.end('fine') : status(response, 401),
        { credentials },
      );
      assert.equal((await transport.call({ method: 'GET', path: '/' })).text, 'fine');
      token = 5;
      await assert.rejects(transport.call({ method: 'GET', path: '/' }), (error: ApiError) => error.code === 401);
      assert.equal(count(), 4);
    });

    it('ends calls at their deadline or when their signal aborts', async () => {
      const { transport, count } = await start(() => {});
      await assert.rejects(transport.call({ method: 'GET', path: '/', timeoutMs: 20 }), DeadlineError);
      // the first one may have ended before it arrived
      const before = count();
      const stop = new AbortController();
      const call = transport.call({ method: 'GET', path: '/', signal: stop.signal });
      const refused = assert.rejects(call, { name: 'AbortError' });
      await waitUntil('it arrived', () => count() > before);
      stop.abort();
      await refused;
      await assert.rejects(transport.call({ method: 'GET', path: '/', signal: stop.signal }), { name: 'AbortError' });
    });

    it('does not send a request if its guard throws once the connection is ready', async () => {
      const { transport, count } = await start((_, response) => response.end('fine'));
      const guard = () => {
        throw new FencedError('too late');
      };
      await assert.rejects(transport.call({ method: 'POST', path: '/', body: '{}', guard }), FencedError);
      assert.equal((await transport.call({ method: 'GET', path: '/' })).text, 'fine');
      assert.equal(count(), 1);
    });

    it('keeps connections for requests while there are many watches', async () => {
      const { transport, count } = await start((request, response) => {
        if (request.url?.includes('watch')) response.write('x');
        else response.end('fine');
      });
      const watches = await Promise.all(
        Array.from({ length: 100 }, () => transport.open({ method: 'GET', path: '/watch' })),
      );
      assert.equal((await transport.call({ method: 'GET', path: '/' })).text, 'fine');
      assert.equal(count(), 101);
      for (const watch of watches) for await (const piece of watch.pieces()) if (piece.toString() === 'x') break;
    });

    it('stops the server from sending while the reader is slow', async () => {
      let written = 0;
      const piece = Buffer.alloc(64 * 1024);
      const { transport } = await start((_, response) => {
        const more = () => {
          while (written < 64 * 1024 * 1024) {
            written += piece.length;
            if (!response.write(piece)) {
              response.once('drain', more);
              return;
            }
          }
          response.end();
        };
        more();
      });
      const incoming = await transport.open({ method: 'GET', path: '/' });
      let before = -1;
      await waitUntil('the server waits', async () => {
        const same = written === before;
        before = written;
        await new Promise((resolve) => setTimeout(resolve, 200));
        return same && written === before;
      });
      assert.ok(written < 32 * 1024 * 1024, `${written} bytes went out unread`);
      let read = 0;
      for await (const part of incoming.pieces()) read += part.length;
      assert.equal(read, 64 * 1024 * 1024);
    });

    it('RateLimit limits the calls per second', () => {
      let now = 0;
      const limit = new RateLimit(10, 2, () => now);
      assert.deepEqual([limit.reserve(), limit.reserve(), limit.reserve(), limit.reserve()], [0, 0, 100, 200]);
      now = 1000;
      assert.deepEqual([limit.reserve(), limit.reserve(), limit.reserve()], [0, 0, 100]);
      assert.equal(new RateLimit(0, 0).reserve(), 0);
    });
  });
