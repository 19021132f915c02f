import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '#client/testing/wait-until.ts';
import { wordsOf } from '#e2e/comparison/compare.ts';
import { type Outcome, runLine } from '../../testing/run-line.ts';

/** A request to the proxy. It has the address, the status and body of the answer, and further data. */
type Asked = readonly [
  url: string,
  status: number,
  body: string | RegExp,
  more?: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
];

describe('proxy', function () {
  this.timeout(30_000);
  let upstream: Server;
  let folder: string;
  let server: string;
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'proxy-'));
    mkdirSync(path.join(folder, 'www/page'), { recursive: true });
    writeFileSync(path.join(folder, 'www/a.txt'), 'hello');
    writeFileSync(path.join(folder, 'www/page/index.html'), '<b>index</b>');
    writeFileSync(path.join(folder, 'secret'), 'secret');
    // The server answers with the request that it received.
    upstream = createServer(async (incoming, response) => {
      let body = '';
      for await (const piece of incoming as AsyncIterable<Buffer>) body += piece.toString();
      const { method, url, headers } = incoming;
      const status = url?.includes('teapot') ? 418 : url?.includes('busy') ? 503 : 200;
      response.writeHead(status, { 'x-own': 'yes', 'content-type': 'text/plain' });
      response.end(`${method} ${url} ${headers.authorization} ${headers['content-type'] ?? '-'} ${body}`.trim());
    });
    upstream.on('upgrade', (incoming: IncomingMessage, socket) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: ${incoming.headers.upgrade}\r\nconnection: Upgrade\r\n\r\n`,
      );
      socket.on('data', (data) => socket.write(`echo ${data}`));
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    server = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  });
  after(() => {
    upstream.closeAllConnections();
    upstream.close();
    rmSync(folder, { recursive: true });
  });

  /** Runs the proxy while `use` runs with its address. Resolves to the proxy's output. */
  async function withProxy(flags: string, use: (place: string) => Promise<void>): Promise<Outcome> {
    const stop = new AbortController();
    let said = '';
    const running = runLine(wordsOf(`proxy ${flags} --server=${server} --token=t`), {
      home: folder,
      signal: stop.signal,
      onOutput: (text) => (said += text),
    });
    try {
      await waitUntil('it serves', () => said.includes('Starting to serve on '));
      await use(/Starting to serve on (.*)\n/.exec(said)![1]!);
    } finally {
      stop.abort();
    }
    return running;
  }

  async function ask(place: string, [url, status, body, more = {}]: Asked): Promise<void> {
    const [host, port] = place.split(':');
    const where = place.startsWith('/') ? { socketPath: place, host: 'localhost' } : { host, port };
    const answer = await new Promise<{ status: number; text: string; location: string | undefined }>(
      (resolve, reject) => {
        const sent = request(
          // Each request has a new connection, because a reused one may end together with the proxy of the previous
          // test.
          { ...where, agent: false, path: url, method: more.method ?? 'GET', headers: more.headers ?? {} },
          (incoming) => {
            let text = '';
            incoming.setEncoding('utf8').on('data', (piece) => (text += piece));
            incoming.on('end', () =>
              resolve({ status: incoming.statusCode!, text, location: incoming.headers.location }),
            );
          },
        );
        sent.on('error', reject);
        sent.end(more.body);
      },
    );
    const shown = answer.location ?? answer.text.trimEnd();
    assert.equal(answer.status, status, shown);
    if (typeof body === 'string') assert.equal(shown, body);
    else assert.match(shown, body);
  }

  const evil = { headers: { host: 'evil.example' } };
  const tables: Readonly<Record<string, readonly Asked[]>> = {
    '--port=0': [
      ['/api/v1/pods?limit=5', 200, 'GET /api/v1/pods?limit=5 Bearer t -'],
      ['/a%2fb', 200, 'GET /a%2fb Bearer t -'],
      ['/teapot', 418, 'GET /teapot Bearer t -'],
      ['/busy', 503, 'GET /busy Bearer t -'],
      [
        '/x',
        200,
        'POST /x Bearer t application/json {"a":1}',
        { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' },
      ],
      ['/x', 200, 'GET /x Bearer own -', { headers: { authorization: 'Bearer own' } }],
      ['/x', 403, 'Forbidden', evil],
      ['/x', 200, 'GET /x Bearer t -', { headers: { host: 'localhost:99' } }],
      ['/x', 200, 'GET /x Bearer t -', { headers: { host: '[::1]:99' } }],
      ['/api/v1/namespaces/a/pods/b/exec', 403, 'Forbidden'],
      ['/api/v1/namespaces/a/pods/b/%65xec', 403, 'Forbidden'],
      ['/api/v1/namespaces/a/pods/b%2fexec', 403, 'Forbidden'],
      ['/api/v1/namespaces/a/pods/b/attach?x=y', 403, 'Forbidden'],
      ['/a/../b', 301, '/b'],
      ['/a/%2e%2e/b', 301, '/b'],
      ['/a//b/', 301, '/a/b/'],
      ['/%zz', 400, '400 Bad Request'],
    ],
    '--port=0 --api-prefix=/k --www=WWW': [
      ['/k', 301, '/k/'],
      ['/k/api', 200, 'GET /api Bearer t -'],
      ['/k/api/v1/namespaces/a/pods/b/exec', 403, 'Forbidden'],
      ['/api', 404, '404 page not found'],
      ['/', 404, '404 page not found'],
      ['/static/a.txt', 200, 'hello'],
      ['/static', 301, '/static/'],
      ['/static/', 200, /<a href="a.txt">a.txt<\/a>\n<a href="page\/">page\/<\/a>/],
      ['/static/page', 301, 'page/'],
      ['/static/page/', 200, '<b>index</b>'],
      ['/static/../secret', 301, '/secret'],
      ['/static/%2e%2e/secret', 301, '/secret'],
      ['/static/..%2fsecret', 301, '/secret'],
      ['/static/nope', 404, '404 page not found'],
      ['/static/a%00', 404, '404 page not found'],
    ],
    '--port=0 --www=WWW --www-prefix=files': [
      ['/files/a.txt', 200, 'hello'],
      ['/static/a.txt', 200, 'GET /static/a.txt Bearer t -'],
    ],
    '--port=0 --reject-methods=POST,DELETE --accept-paths=^/api': [
      ['/x', 403, 'Forbidden'],
      ['/api', 200, 'GET /api Bearer t -'],
      ['/api', 403, 'Forbidden', { method: 'DELETE' }],
    ],
    '--port=0 --accept-hosts=^evil.example$': [
      ['/x', 200, 'GET /x Bearer t -', evil],
      ['/x', 403, 'Forbidden'],
    ],
    '--port=0 --disable-filter': [
      ['/api/v1/namespaces/a/pods/b/exec', 200, 'GET /api/v1/namespaces/a/pods/b/exec Bearer t -', evil],
    ],
  };
  for (const [flags, asked] of Object.entries(tables))
    it(flags, async () => {
      const { code } = await withProxy(flags.replace('WWW', path.join(folder, 'www')), async (place) => {
        for (const one of asked) await ask(place, one);
      });
      assert.equal(code, 0);
    });

  it('prepends the path of the server with --append-server-path', async () => {
    const whole = server;
    server = `${whole}/clusters/c`;
    try {
      await withProxy('--port=0 --append-server-path', (place) =>
        ask(place, ['/api', 200, 'GET /clusters/c/api Bearer t -']),
      );
      await withProxy('--port=0', (place) => ask(place, ['/api', 200, 'GET /api Bearer t -']));
    } finally {
      server = whole;
    }
  });

  it('serves on a Unix socket, and replaces the socket of an earlier run', async () => {
    const file = path.join(folder, 'sock');
    for (let times = 0; times < 2; times++)
      await withProxy(`--unix-socket=${file}`, async (place) => {
        assert.equal(place, file);
        await ask(place, ['/x', 200, 'GET /x Bearer t -']);
      });
    writeFileSync(path.join(folder, 'file'), '');
    const { stderr } = await runLine(['proxy', `--unix-socket=${path.join(folder, 'file')}`], { home: folder });
    assert.match(stderr, /address already in use/);
    assert.ok(existsSync(path.join(folder, 'file')));
  });

  it('forwards upgraded connections', async () => {
    await withProxy('--port=0', async (place) => {
      const [host, port] = place.split(':');
      const talk = (target: string, wanted: RegExp, then?: string) =>
        new Promise<void>((resolve, reject) => {
          const socket = connect(Number(port), host!);
          let text = '';
          socket.on('error', reject).on('data', (data) => {
            text += data.toString();
            if (text.includes('\r\n\r\n') && then !== undefined) socket.write(then);
            then = undefined;
            if (!wanted.test(text)) return;
            socket.destroy();
            resolve();
          });
          socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nUpgrade: own\r\nConnection: Upgrade\r\n\r\n`);
        });
      await talk('/any', /^HTTP\/1.1 101 Switching Protocols\r\n.*upgrade: own.*echo ping/s, 'ping');
      await talk('/api/v1/namespaces/a/pods/b/exec', /^HTTP\/1.1 403 Forbidden/);
    });
  });

  const wrong: readonly (readonly [flags: string, said: RegExp])[] = [
    ['--port=99999', /^error: listen tcp: address 99999: invalid port\n$/],
    ['--port=-1', /^error: listen tcp: address -1: invalid port\n$/],
    ['--port=x', /invalid argument "x" for "-p, --port" flag/],
    ['--unix-socket=/nope/x', /^error: listen unix \/nope\/x: bind: .*\n$/],
    ['--accept-hosts=[', /^error: Error compiling re: .*\n$/],
    ['--reject-paths=a,(', /^error: Error compiling re: .*\n$/],
    ['--reject-methods=*', /^error: Error compiling re: .*\n$/],
  ];
  for (const [flags, said] of wrong)
    it(`refuses ${flags}`, async () => {
      const { stderr, code } = await runLine(['proxy', ...wordsOf(flags)], { home: folder });
      assert.match(stderr, said);
      assert.equal(code, 1);
    });
});
