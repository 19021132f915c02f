import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import tls, { type TLSSocket } from 'node:tls';
import { aroundAll, type TestAnswer, type TestReplica, testPki } from '../testing/replica.ts';
import { CN, makeAuthority, makeCertificate, SERVER_AUTH } from '../x509/make-certificate.ts';

const SERVICES = '/apis/apiregistration.orch.io/v1/apiservices';

/** A server in a process of its own, which can be stopped and killed: answers 200 to all, and 100 MB at `/large`. */
const PROGRAM = `
const https = require('node:https'), { readFileSync } = require('node:fs'), { Readable } = require('node:stream');
const [, dir, port] = process.argv;
const chunk = Buffer.alloc(1 << 20, 'x');
https.createServer({ cert: readFileSync(dir + '/crt'), key: readFileSync(dir + '/key') }, (request, response) => {
  if (request.url.endsWith('/large')) Readable.from(Array.from({ length: 100 }, () => chunk)).pipe(response);
  else response.end('{}');
}).listen(Number(port), function () { console.log(this.address().port); });
`;

describe('an extension server that fails', () => {
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

  /** A service with a certificate for it, before there is a server. */
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

  /** A process behind a service, once requests are passed on to it. */
  async function process() {
    const { cert, key, register, path: base } = await service();
    const directory = mkdtempSync(path.join(tmpdir(), 'fault-'));
    writeFileSync(path.join(directory, 'crt'), cert);
    writeFileSync(path.join(directory, 'key'), key);
    const start = async (port = 0): Promise<{ child: ChildProcess; port: number }> => {
      const child = spawn(globalThis.process.execPath, ['-e', PROGRAM, directory, String(port)], {
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

  /** The replica serves all else meanwhile. */
  async function isWell(): Promise<void> {
    assert.equal((await replica.call('GET', '/readyz')).status, 200);
    assert.equal((await replica.call('GET', '/api/v1/namespaces/default')).status, 200);
  }

  it('by being killed is unavailable, and found again when it is back', async () => {
    const { child, port, start, path: base } = await process();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { text } = await until(`${base}/things`, ({ status }) => status === 503);
    assert.match(text, /^(error trying to reach service: .*|service unavailable\n)$/);
    await isWell();
    await start(port);
    await until(`${base}/things`, ({ status }) => status === 200);
  });

  it('by being frozen costs its own callers their time, and goes on when it thaws', async () => {
    const { child, path: base } = await process();
    child.kill('SIGSTOP');
    const calls = Array.from({ length: 20 }, () => replica.call('GET', `${base}/things?timeout=500ms`));
    await isWell();
    for (const { status } of await Promise.all(calls)) assert.ok([503, 504].includes(status), String(status));
    child.kill('SIGCONT');
    await until(`${base}/things`, ({ status }) => status === 200);
  });

  it('to say anything sensible is answered for', async () => {
    const { cert, key, register, path: base } = await service();
    let garbage = false;
    const server = tls.createServer({ cert, key }, (socket: TLSSocket) => {
      socket.on('error', () => {});
      socket.on('data', () => {
        if (garbage) socket.end('this is no HTTP\r\n\r\n');
        else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
      });
    });
    stop.push(() => server.close());
    server.listen(0);
    await once(server, 'listening');
    await register((server.address() as AddressInfo).port);
    await until(`${base}/things`, ({ status }) => status === 200);
    garbage = true;
    const { status, text } = await replica.call('GET', `${base}/things`);
    assert.ok([502, 503].includes(status), `${status} ${text}`);
    await isWell();
    garbage = false;
    await until(`${base}/things`, (answer) => answer.status === 200);
  });

  it('at nothing sends 100 MB, of which little is held at a time', async () => {
    const { path: base } = await process();
    const pki = testPki();
    const request = https.request({
      host: '127.0.0.1',
      port: replica.port,
      path: `${base}/large`,
      ca: pki.read('ca.crt'),
      cert: pki.read('admin.crt'),
      key: pki.read('admin.key'),
      servername: 'localhost',
      agent: false,
    });
    request.end();
    const [response] = await once(request, 'response');
    // nobody reads for a while: what comes waits at the extension server
    await sleep(500);
    const before = globalThis.process.memoryUsage().arrayBuffers;
    let size = 0;
    let most = before;
    for await (const chunk of response) {
      size += (chunk as Buffer).length;
      most = Math.max(most, globalThis.process.memoryUsage().arrayBuffers);
    }
    assert.equal(size, 100 << 20);
    assert.ok(before < 64 << 20, `${before} bytes are held for a client that does not read`);
    assert.ok(most < 100 << 20, `${most} bytes are held`);
  });
});
