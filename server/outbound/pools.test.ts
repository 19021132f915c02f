import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import { tlsOptions } from '#program/connection/kept-connections.ts';
import { exchange } from './exchange.ts';
import { Pools } from './pools.ts';

describe('pooled connections to another server', () => {
  const authority = makeAuthority('pool-ca');
  const certificate = makeCertificate({
    subject: [[CN, 'pool']],
    by: authority,
    hosts: ['a.b.svc'],
    usages: [SERVER_AUTH],
    from: -1,
    to: 1,
  });
  const limits = { connections: 2, connectTimeoutMs: 30_000, idleMs: 30_000 };
  const trust = { serverName: 'a.b.svc', ca: authority.pem };
  const sockets = new Set<Socket>();
  const names = new Set<unknown>();
  let hanging: (() => void)[] = [];
  const server = https.createServer({ cert: certificate.pem, key: certificate.keyPem }, (request, response) => {
    sockets.add(request.socket);
    names.add((request.socket as Socket & { servername?: string }).servername);
    if (request.url === '/hang') hanging.push(() => response.end('late'));
    else if (request.url?.startsWith('/pieces/') === true) {
      const [size, count] = request.url.split('/').slice(2).map(Number) as [number, number];
      const piece = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
      const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
      request.socket.end(`${head}${piece.repeat(count)}0\r\n\r\n`);
    } else response.end(request.url);
  });
  let address = '';
  const pools = new Pools(trust, limits);
  const ask = (path: string, options: { maxBytes?: number; timeoutMs?: number; signal?: AbortSignal } = {}) =>
    exchange(pools.at(address, trust), {
      method: 'GET',
      path,
      headers: { Host: 'elsewhere:1' },
      maxBytes: 100,
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      ...options,
    });

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  after(async () => {
    for (const answer of hanging) answer();
    await pools.destroy();
    server.close();
    server.closeAllConnections();
  });

  it('use the trusted name for any Host header, and are kept open', async () => {
    for (let n = 0; n < 3; n++) assert.equal((await ask(`/${n}`)).body.toString(), `/${n}`);
    assert.deepEqual([...names], ['a.b.svc']);
    assert.ok(sockets.size <= 2);
  });

  it('are limited, and further requests wait for a free connection', async () => {
    const first = [ask('/hang'), ask('/hang')];
    while (hanging.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    const waiting = ask('/next');
    await assert.rejects(ask('/never', { timeoutMs: 50 }), { message: 'context deadline exceeded' });
    const [one, ...others] = hanging;
    hanging = others;
    one!();
    assert.equal((await waiting).body.toString(), '/next');
    for (const answer of hanging.splice(0)) answer();
    await Promise.all(first);
    assert.equal(sockets.size, 2);
  });

  it('are closed if an answer is too long, or if the caller aborts', async () => {
    await assert.rejects(ask(`/${'x'.repeat(200)}`), { message: 'the answer is longer than 100 bytes' });
    await assert.rejects(ask('/hang', { signal: AbortSignal.timeout(20) }), { message: 'context canceled' });
  });

  it('accept answers in many pieces, but not in very many small pieces', async () => {
    const maxBytes = 6 << 20;
    assert.equal((await ask('/pieces/1/9000', { maxBytes })).body.length, 9_000);
    assert.equal((await ask('/pieces/100/30000', { maxBytes })).body.length, 3_000_000);
    await assert.rejects(ask('/pieces/1/1000000', { maxBytes }), /too many small pieces/);
  });

  it('are replaced if the trusted authorities change', async () => {
    const other = { ...trust, ca: makeAuthority('other-ca').pem };
    const { signal } = new AbortController();
    const message = { method: 'GET', path: '/', headers: {}, maxBytes: 100, timeoutMs: 30_000, signal } as const;
    await assert.rejects(exchange(pools.at(address, other), message));
    assert.equal((await exchange(pools.at(address, trust), message)).status, 200);
  });

  it('share parsed certificates, and fail requests if certificates are invalid', async () => {
    assert.equal(tlsOptions(trust).secureContext, tlsOptions(trust).secureContext);
    assert.notEqual(tlsOptions(trust).secureContext, tlsOptions({ ...trust }).secureContext);
    const unreadable = { ...trust, cert: 'nothing', key: 'nothing' };
    const broken = new Pools(unreadable, limits);
    const pool = broken.at(address, unreadable);
    const message = { method: 'GET', path: '/', headers: {}, maxBytes: 100, timeoutMs: 30_000 } as const;
    await assert.rejects(exchange(pool, message), /PEM/);
    await broken.destroy();
  });
});
