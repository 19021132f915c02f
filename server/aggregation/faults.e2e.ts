import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import tls, { type TLSSocket } from 'node:tls';
import { CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import { aroundAll } from '../testing/around-all.ts';
import { collectGarbage } from '../testing/collect-garbage.ts';
import { type TestAnswer, type TestReplica, testPki } from '../testing/replica.ts';
import { FAULTY_PROGRAM } from './testing/faulty-program.ts';

const SERVICES = '/apis/apiregistration.orch.io/v1/apiservices';

/**
 * The bytes of buffers in addition to those at the beginning. Buffers are freed some time after they are unused. So the
 * function waits for a while if the number is not below `limit`.
 */
async function heldBeyond(idle: number, limit: number): Promise<number> {
  for (let tries = 0; ; tries++) {
    collectGarbage();
    const held = globalThis.process.memoryUsage().arrayBuffers - idle;
    if (held < limit || tries === 30) return held;
    await sleep(100);
  }
}

describe('an extension server with faults', () => {
  let replica: TestReplica;
  const stop: (() => void)[] = [];
  let count = 0;

  aroundAll(
    (started) => {
      replica = started;
    },
    `--proxy-client-cert-file=${testPki().file('front-proxy.crt')}`,
    `--proxy-client-key-file=${testPki().file('front-proxy.key')}`,
  );

  after(() => {
    for (const one of stop) one();
  });

  async function until(target: string, is: (answer: TestAnswer) => boolean): Promise<TestAnswer> {
    for (;;) {
      const answer = await replica.call('GET', target);
      if (is(answer)) return answer;
      await sleep(50);
    }
  }

  /** A service and a certificate for it, before there is a server. */
  async function service() {
    const name = `fault${count++}`;
    const group = `${name}.example.com`;
    await replica.call('POST', '/api/v1/namespaces/default/services', {
      body: { metadata: { name }, spec: { type: 'ExternalName', externalName: 'localhost' } },
    });
    const authority = makeAuthority('fault-ca');
    const subject = [[CN, 'fault']] as const;
    const { pem: cert, keyPem: key } = makeCertificate({
      subject: subject.map(([type, value]) => [type, value]),
      by: authority,
      hosts: [`${name}.default.svc`],
      usages: [SERVER_AUTH],
      from: -1,
      to: 1,
    });
    const register = (port: number) =>
      replica.call('POST', SERVICES, {
        body: {
          metadata: { name: `v1.${group}` },
          spec: {
            group,
            version: 'v1',
            groupPriorityMinimum: 1000,
            versionPriority: 15,
            caBundle: Buffer.from(authority.pem).toString('base64'),
            service: { namespace: 'default', name, port },
          },
        },
      });
    return { cert, key, register, path: `/apis/${group}/v1` };
  }

  /** A process behind a service. Resolves when requests are forwarded to it. */
  async function process() {
    const { cert, key, register, path: base } = await service();
    const directory = mkdtempSync(path.join(tmpdir(), 'fault-'));
    writeFileSync(path.join(directory, 'crt'), cert);
    writeFileSync(path.join(directory, 'key'), key);
    const start = async (port = 0): Promise<{ child: ChildProcess; port: number }> => {
      const child = spawn(globalThis.process.execPath, ['-e', FAULTY_PROGRAM, directory, String(port)], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      stop.push(() => child.kill('SIGKILL'));
      const [line] = await once(child.stdout!, 'data');
      return { child, port: Number(String(line)) };
    };
    const first = await start();
    await register(first.port);
    await until(`${base}/things`, ({ status }) => status === 200);
    return { ...first, start, path: base };
  }

  /** Checks that the replica still answers all other requests. */
  async function isWell(): Promise<void> {
    assert.equal((await replica.call('GET', '/readyz')).status, 200);
    assert.equal((await replica.call('GET', '/api/v1/namespaces/default')).status, 200);
  }

  /** A request that a test can abort. */
  function ask(target: string, headers: OutgoingHttpHeaders = {}): ClientRequest {
    const pki = testPki();
    const request = https.request({
      host: '127.0.0.1',
      port: replica.port,
      path: target,
      headers,
      ca: pki.read('ca.crt'),
      cert: pki.read('admin.crt'),
      key: pki.read('admin.key'),
      servername: 'localhost',
      agent: false,
      maxHeaderSize: 1 << 20,
    });
    request.on('error', () => {});
    return request.end();
  }

  /** Waits until the server has no other request in progress. */
  async function untilAllIsEnded(base: string): Promise<void> {
    await until(`${base}/open`, ({ text }) => text === '0');
  }

  it('is unavailable after it is killed, and available after it starts again', async () => {
    const { child, port, start, path: base } = await process();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { text } = await until(`${base}/things`, ({ status }) => status === 503);
    assert.match(text, /^(error trying to reach service: .*|service unavailable)\n$/);
    await isWell();
    await start(port);
    await until(`${base}/things`, ({ status }) => status === 200);
  });

  it('delays only requests to itself while it is stopped, and answers after it continues', async () => {
    const { child, path: base } = await process();
    child.kill('SIGSTOP');
    const calls = Array.from({ length: 20 }, () => replica.call('GET', `${base}/things?timeout=500ms`));
    await isWell();
    for (const { status } of await Promise.all(calls)) assert.ok([503, 504].includes(status), String(status));
    child.kill('SIGCONT');
    await until(`${base}/things`, ({ status }) => status === 200);
  });

  it('causes 503 by malformed answers, and its unusual but valid answers are passed on', async () => {
    const { cert, key, register, path: base } = await service();
    const malformed = 'net/http: HTTP/1.x transport connection broken: malformed HTTP response';
    const trying = 'error trying to reach service: ';
    const statusLine = 'the backend answers with a malformed status line';
    const interim = 'net/http: too many 1xx informational responses';
    const leftover = 'Content-Length: 2\r\nContent-Encoding: gzip\r\nContent-Type: text/html\r\nX-Left: 1\r\n\r\n{}';
    const coded = 'unsupported transfer encoding: "gzip, chunked"';
    const table: [method: string, answer: string, status: number, text: string][] = [
      ['GET', 'this is no HTTP\r\n\r\n', 503, trying + malformed],
      ['POST', 'HTTP/1.1 2000 OK\r\n\r\n', 503, trying + malformed],
      ['GET', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 503, trying + malformed],
      ['GET', 'HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', 503, trying + malformed],
      ['GET', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 503, trying + coded],
      ['POST', '', 503, `${trying}EOF`],
      ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n', 200, ''],
      ['GET', 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n', 204, ''],
      ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 20\r\n\r\n', 304, ''],
      ['GET', 'HTTP/1.1 302 Found\r\nLocation:\r\nContent-Length: 2\r\n\r\n{}', 302, '{}'],
      ['GET', 'HTTP/1.1 100 x\r\n\r\n', 503, `${trying}EOF`],
      ['GET', `HTTP/1.1 999 \x1b\r\n${leftover}`, 502, trying + statusLine],
      ['GET', `HTTP/1.1 200 \x1b[2J\r\n${leftover}`, 502, trying + statusLine],
      ['PUT', `HTTP/1.1 500 a\x7fb\r\n${leftover}`, 502, trying + statusLine],
      ['GET', 'HTTP/1.1 999 odd\r\nContent-Length: 2\r\n\r\n{}', 999, '{}'],
      ['GET', 'HTTP/1.1 200 caf\xe9\r\nContent-Length: 2\r\n\r\n{}', 200, '{}'],
      ['GET', `${'HTTP/1.1 103 x\r\n\r\n'.repeat(100)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}`, 200, '{}'],
      ['GET', 'HTTP/1.1 102 x\r\nA: b\r\n\r\n'.repeat(100_000), 503, trying + interim],
    ];
    const long = `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(200_000)}\r\nContent-Length: 0\r\n\r\n`;
    const server = tls.createServer({ cert, key }, (socket: TLSSocket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        const [, row] = /^\w+ \S+\/row(\d+) /.exec(String(data)) ?? [];
        const fine = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
        socket.end(row === undefined ? fine : (table[Number(row)]?.[1] ?? long), 'latin1');
      });
    });
    stop.push(() => server.close());
    server.listen(0);
    await once(server, 'listening');
    await register((server.address() as AddressInfo).port);
    await until(`${base}/things`, ({ status }) => status === 200);
    for (const [i, [method, answer, ...expected]] of table.entries()) {
      const { status, text, headers } = await replica.call(method, `${base}/row${i}`);
      assert.deepEqual([status, text.trim()], expected, answer.slice(0, 200));
      assert.deepEqual([headers['x-left'], headers['content-encoding']], [undefined, undefined]);
    }
    const [{ statusCode, headers }] = await once(ask(`${base}/row${table.length}`), 'response');
    assert.deepEqual([statusCode, headers['x-long'].length], [200, 200_000]);
    await isWell();
  });

  it('cannot set headers that belong to the API server', async () => {
    const { cert, key, register, path: base } = await service();
    const head = [
      'HTTP/1.1 200 OK',
      ...['X-Orch-PF-FlowSchema-UID: forged', 'x-orch-pf-prioritylevel-uid: forged', 'Audit-Id: forged'],
      ...[
        'Strict-Transport-Security: max-age=0',
        'Set-Cookie: session=forged',
        'Clear-Site-Data: "*"',
        'Alt-Svc: h2=":1"',
      ],
      ...['Cache-Control: max-age=60', 'X-Own: 1', 'Content-Length: 2', '', '{}'],
    ].join('\r\n');
    const server = tls.createServer({ cert, key }, (socket: TLSSocket) => {
      socket.on('error', () => {});
      socket.on('data', () => socket.write(head));
    });
    stop.push(() => server.close());
    server.listen(0);
    await once(server, 'listening');
    await register((server.address() as AddressInfo).port);
    const { headers } = await until(`${base}/things`, ({ status }) => status === 200);
    const { headers: ours } = await replica.call('GET', '/api/v1/namespaces/default');
    for (const name of ['x-orch-pf-flowschema-uid', 'x-orch-pf-prioritylevel-uid'])
      assert.equal(headers[name], ours[name], name);
    assert.match(String(ours['x-orch-pf-flowschema-uid']), /^[0-9a-f-]{36}$/);
    for (const name of ['strict-transport-security', 'set-cookie', 'clear-site-data', 'alt-svc'])
      assert.equal(headers[name], undefined, name);
    assert.notEqual(headers['audit-id'], 'forged');
    assert.equal(headers['x-own'], '1');
    assert.match(String(headers['cache-control']), /no-cache.*max-age=60/);
  });

  it('can send 100 MB, of which the API server holds little at a time', async () => {
    const { path: base } = await process();
    collectGarbage();
    const idle = globalThis.process.memoryUsage().arrayBuffers;
    const request = ask(`${base}/large`);
    const [response] = await once(request, 'response');
    // The client does not read for a while, so the events wait at the extension server.
    await sleep(500);
    const unread = await heldBeyond(idle, 64 << 20);
    let size = 0;
    let most = unread;
    let looked = 0;
    for await (const chunk of response) {
      size += (chunk as Buffer).length;
      if (size - looked < 20 << 20) continue;
      looked = size;
      most = Math.max(most, await heldBeyond(idle, 100 << 20));
    }
    assert.equal(size, 100 << 20);
    assert.ok(unread < 64 << 20, `${unread} bytes are held for a client that does not read`);
    assert.ok(most < 100 << 20, `${most} bytes are held`);
  });

  it('has until the request timeout to start its answer, and no limit after the start', async () => {
    const { path: base } = await process();
    assert.equal((await replica.call('GET', `${base}/mute?timeout=200ms`)).status, 504);
    const { status, text } = await replica.call('GET', `${base}/drip?timeout=200ms`);
    assert.deepEqual([status, text], [200, 'x'.repeat(20)]);
    await untilAllIsEnded(base);
  });

  it('answers requests even if its discovery list is incomplete', async () => {
    const { cert, key, register, path: base } = await service();
    const server = tls.createServer({ cert, key }, (socket: TLSSocket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        const length = String(data).includes(' /apis/fault') && !String(data).includes('/things') ? 100 : 2;
        socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n{}`);
      });
    });
    stop.push(() => server.close());
    server.listen(0);
    await once(server, 'listening');
    await register((server.address() as AddressInfo).port);
    await until(`${base}/things`, ({ status }) => status === 200);
  });

  it('cannot make an incomplete answer look complete to the client', async () => {
    const { path: base } = await process();
    const [response] = await once(ask(`${base}/half`), 'response');
    let text = '';
    await assert.rejects(async () => {
      for await (const chunk of response) text += String(chunk);
    });
    assert.equal(text, 'half');
    await untilAllIsEnded(base);
  });

  it('has its requests closed when clients leave, before and during the answer', async () => {
    const { path: base } = await process();
    const silent = Array.from({ length: 10 }, () => ask(`${base}/mute`));
    await until(`${base}/open`, ({ text }) => text === '10');
    for (const request of silent) request.destroy();
    const loud = Array.from({ length: 10 }, () => ask(`${base}/large`));
    await Promise.all(loud.map((request) => once(request, 'response')));
    for (const request of loud) request.destroy();
    await untilAllIsEnded(base);
    await isWell();
  });

  it('causes 403 or 503 if it does not grant an upgrade correctly', async () => {
    const { path: base } = await process();
    const upgrade = (how: string): ClientRequest =>
      ask(`${base}/${how}`, { Connection: 'Upgrade', Upgrade: 'echo', 'Sec-WebSocket-Version': '13' });
    const expected: [how: string, status: number][] = [
      ['refuse', 403],
      ['garble', 503],
      ['cut', 503],
      ['fine', 503],
    ];
    for (const [how, status] of expected) {
      const [{ statusCode }] = await once(upgrade(how), 'response');
      assert.equal(statusCode, status, how);
    }
    const mute = upgrade('mute');
    await until(`${base}/open`, ({ text }) => text === '1');
    mute.destroy();
    const [, left] = (await once(upgrade('leave'), 'upgrade')) as [IncomingMessage, Duplex];
    left.on('error', () => {}).write('x');
    await once(left.resume(), 'close');
    const [, echo] = (await once(upgrade('echo'), 'upgrade')) as [IncomingMessage, Duplex];
    echo.write('x');
    await once(echo, 'data');
    echo.destroy();
    await untilAllIsEnded(base);
    await isWell();
  });

  it('cannot redirect clients, and the target of the redirect is not called', async () => {
    const { path: base } = await process();
    let asked = 0;
    const elsewhere = createServer((socket) => {
      asked++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    stop.push(() => elsewhere.close());
    await once(elsewhere, 'listening');
    const { port } = elsewhere.address() as AddressInfo;
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await replica.call(method, `${base}/moved/${port}`);
      assert.deepEqual([status, headers['location']], [502, undefined]);
    }
    assert.equal(asked, 0);
  });
});
