import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testPki } from '../testing/replica.ts';
import { ExtensionServer } from './testing/extension-server.ts';
import { Extensions, FRONT_PROXY } from './testing/extensions.ts';

describe('a request that is proxied to an extension server', () => {
  let replica: TestReplica;
  let extensions: Extensions;

  aroundAll(
    (started) => {
      replica = started;
      extensions = new Extensions(started);
    },
    ...FRONT_PROXY,
  );

  after(() => extensions?.stop());

  it('contains the user in front proxy headers, and no credentials', async () => {
    const { path, server } = await extensions.start();
    server.answer = (_request, response) => response.setHeader('Audit-ID', 'its own').end('ok');
    const [, token = ''] = /^(.*?),admin/m.exec(testPki().read('tokens.csv')) ?? [];
    const { status, headers: answered } = await replica.call('GET', `${path}/things?a=%20b#{\\`, {
      token,
      headers: {
        'X-Remote-User': 'root',
        'X-Remote-Group': 'wheel',
        'X-Remote-Uid': '0',
        'X-Remote-Extra-Scopes': 'all',
        'Impersonate-User': 'carla',
        'Impersonate-Group': 'system:masters',
        'Impersonate-Extra-a%2fb': 'c',
        'X-Own': 'kept',
        'Audit-ID': 'mine',
      },
    });
    assert.deepEqual([status, answered['audit-id']], [200, 'mine']);
    const [seen] = server.seen;
    assert.equal(ExtensionServer.clientOf(seen!), 'front-proxy');
    assert.equal(seen!.url, `${path}/things?a=%20b%23%7B%5C`);
    const { headers, headersDistinct } = seen!;
    assert.equal(headers['x-remote-user'], 'carla');
    assert.deepEqual(headersDistinct['x-remote-group'], ['system:masters', 'system:authenticated']);
    assert.equal(headers['x-remote-extra-a%2fb'], 'c');
    assert.deepEqual([headers['x-own'], headers['audit-id']], ['kept', 'mine']);
    for (const name of ['authorization', 'impersonate-user', 'x-remote-uid', 'x-remote-extra-scopes']) {
      assert.equal(headers[name], undefined, name);
    }
  });

  it('is streamed in both directions', async () => {
    const { path, server } = await extensions.start();
    server.answer = (request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', Trailer: 'X-Sum' });
      response.flushHeaders();
      request.on('data', (chunk: Buffer) => response.write(chunk.toString().toUpperCase()));
      request.once('end', () => {
        response.addTrailers({ 'X-Sum': '6' });
        response.end();
      });
    };
    const pki = testPki();
    const request = https.request({
      host: '127.0.0.1',
      port: replica.port,
      method: 'POST',
      path: `${path}/namespaces/default/things`,
      ca: pki.read('ca.crt'),
      cert: pki.read('admin.crt'),
      key: pki.read('admin.key'),
      servername: 'localhost',
      agent: false,
    });
    request.write('abc');
    const [response] = await once(request, 'response');
    const [first] = await once(response, 'data');
    assert.equal(String(first), 'ABC');
    request.end('def');
    const [second] = await once(response, 'data');
    assert.equal(String(second), 'DEF');
    await once(response, 'end');
    assert.equal(response.trailers['x-sum'], '6');
  });

  for (const [method, body] of [
    ['POST', '{"a":1}'],
    ['DELETE', '{"kind":"DeleteOptions","apiVersion":"v1"}'],
    ['PUT', ''],
  ] as const) {
    it(`is sent ${body === '' ? 'without a body if it has none' : 'with a body of known length'}: ${method}`, async () => {
      const { path, server } = await extensions.start();
      server.answer = (request, response) => {
        const { 'content-length': length = 'none', 'transfer-encoding': encoding = 'none' } = request.headers;
        response.write(`${length} ${encoding} `);
        request.pipe(response);
      };
      const { status, text } = await replica.call(method, `${path}/things/a`, { raw: body });
      assert.equal(status, 200);
      assert.equal(text, `${body.length} none ${body}`);
    });
  }

  it('ends when it is a watch and the client leaves', async () => {
    const { path, server } = await extensions.start();
    const ended = new Promise<void>((resolve) => {
      server.answer = (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.write('{"type":"ADDED","object":{"a":1}}\n');
        response.once('close', resolve);
      };
    });
    let watch: { close(): void } | undefined;
    await new Promise<void>((resolve, reject) => {
      replica
        .watch(`${path}/things?watch=1`, ({ type, object }) => {
          assert.deepEqual([type, object], ['ADDED', { a: 1 }]);
          resolve();
        })
        .then((opened) => {
          watch = opened;
        }, reject);
    });
    while (watch === undefined) await sleep(10);
    watch.close();
    await ended;
  });

  it('can upgrade its connection', async () => {
    const { path, server } = await extensions.start();
    server.upgrade = (_request, socket: Duplex) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n');
      socket.on('error', () => {});
      socket.pipe(socket);
    };
    const pki = testPki();
    const request = https.request({
      host: '127.0.0.1',
      port: replica.port,
      path: `${path}/things/a/exec`,
      headers: { Connection: 'Upgrade', Upgrade: 'echo' },
      ca: pki.read('ca.crt'),
      cert: pki.read('admin.crt'),
      key: pki.read('admin.key'),
      servername: 'localhost',
      agent: false,
    });
    request.end();
    const [response, socket] = (await once(request, 'upgrade')) as [{ statusCode: number }, Duplex];
    assert.equal(response.statusCode, 101);
    socket.write('hello');
    const [echoed] = await once(socket, 'data');
    assert.equal(String(echoed), 'hello');
    socket.destroy();
  });

  it('gets 502 if the server answers with a redirect', async () => {
    const { path, server } = await extensions.start();
    server.answer = (_request, response) =>
      response.writeHead(302, { Location: 'https://elsewhere.example.com/' }).end();
    const { status, text, headers } = await replica.call('GET', `${path}/things`);
    assert.equal(status, 502);
    assert.equal(text, 'the backend attempted to redirect this request, which is not permitted');
    assert.equal(headers['location'], undefined);
  });

  it('uses connections that are kept open', async () => {
    const { path, server } = await extensions.start();
    server.answer = (_request, response) => response.end('ok');
    for (let i = 0; i < 5; i++) await replica.call('GET', `${path}/things`);
    // There is one more if the server was being probed at that moment.
    assert.ok(new Set(server.seen.map(({ socket }) => socket)).size <= 2);
  });

  it('is sent again over another connection if the server closed the open one', async () => {
    const { path, server } = await extensions.start();
    server.answer = (_request, response) => response.end('ok');
    for (let i = 0; i < 5; i++) {
      assert.equal((await replica.call('GET', `${path}/things`)).status, 200);
      for (const request of server.seen) request.socket.destroy();
    }
  });

  it('contains the original path, and its Cache-Control is added to the header of the API server', async () => {
    const { path, server } = await extensions.start();
    server.answer = (_request, response) => response.setHeader('Cache-Control', 'max-age=5').end('ok');
    const { headers } = await replica.call('GET', `${path}/a%2Fb?c=d`, { headers: { 'X-Forwarded-Uri': '/evil' } });
    assert.equal(server.seen[0]!.headers['x-forwarded-uri'], `${path}/a%2Fb`);
    assert.equal(headers['cache-control'], 'no-cache, private, max-age=5');
  });

  it('ends at its timeout if the server does not answer', async () => {
    const { path, server } = await extensions.start();
    server.answer = () => {};
    // On a busy machine the time may have passed before there is a connection.
    while (server.seen.length === 0) {
      const { status, json } = await replica.call('GET', `${path}/things?timeout=300ms`);
      assert.deepEqual([status, json.reason], [504, 'Timeout']);
    }
    const [gone] = server.seen;
    if (!gone!.socket.destroyed) await once(gone!.socket, 'close');
  });

  it('is refused if its path leads out of the group', async () => {
    const { path, server } = await extensions.start();
    server.answer = (_request, response) => response.end('ok');
    assert.equal((await replica.call('GET', `${path}/things/%2e%2e/%2e%2e/other`)).status, 400);
    assert.equal(server.seen.length, 0);
  });
});
