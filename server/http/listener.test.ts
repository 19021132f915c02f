import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { CLIENT_AUTH, CN, makeAuthority, makeCertificate } from '#base/x509/make-certificate.ts';
import { readNamedCertificates } from '#program/flags/named-certificates.ts';
import { readServingTls } from '#program/flags/serving-tls.ts';
import { testPki } from '../testing/replica.ts';
import { type Listener, listen } from './listener.ts';

/** Answers after the milliseconds in the path. The head is sent at once. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  response.flushHeaders();
  setTimeout(() => response.end('ok'), Number(request.url?.slice(1)));
}

describe('a listener that drains', () => {
  const pki = testPki();
  let listener: Listener;
  let agent: https.Agent;
  let underWay: (() => void)[] = [];

  /**
   * A request of `/NUMBER` is answered after this number of milliseconds. Any other path is answered when the test says
   * so.
   */
  function listening(): Promise<Listener> {
    return listen(
      (request, response) => {
        if (/^\/\d+$/.test(request.url ?? '')) answer(request, response);
        else {
          if (request.url === '/stream') response.flushHeaders();
          underWay.push(() => response.end('ok'));
        }
      },
      {
        certFile: pki.file('server.crt'),
        keyFile: pki.file('server.key'),
        tls: { minVersion: 'TLSv1.2', ciphers: undefined },
        clientCa: () => [],
        address: '127.0.0.1',
        port: 0,
        log: pino({ level: 'silent' }),
      },
    );
  }

  beforeEach(async () => {
    underWay = [];
    listener = await listening();
    agent = new https.Agent({ keepAlive: true, ca: pki.read('ca.crt') });
  });

  afterEach(() => agent.destroy());

  const ask = (path: string, by = agent) => https.get({ host: '127.0.0.1', port: listener.port, path, agent: by });
  const get = async (path: string, by = agent) => {
    const [response] = (await once(ask(path, by), 'response')) as [IncomingMessage];
    return { response, done: once(response.resume(), 'end') };
  };
  const asked = async (count: number) => {
    while (underWay.length < count) await sleep(5);
  };

  it('ends the connections of busy clients, and finishes requests in progress', async () => {
    let answers = 0;
    let draining = false;
    let stop = false;
    let lost = 0;
    const busy = (async () => {
      while (!stop) {
        const request = ask('/5');
        try {
          const [response] = (await once(request, 'response')) as [IncomingMessage];
          const { socket } = response;
          await once(response.resume(), 'end');
          answers++;
          // An earlier head said that the connection stays open, so its client may send a request while it ends.
          if (draining && !socket.closed) await once(socket, 'close');
          else await sleep(5);
        } catch {
          // A new connection may come too late, but no request was sent on it yet.
          if (request.reusedSocket) lost++;
          await sleep(20);
        }
      }
    })();
    while (answers < 20) await sleep(10);
    // The server closes this connection after the answer, although the answer did not announce this. No client may
    // reuse it.
    const own = new https.Agent({ ca: pki.read('ca.crt') });
    const slow = await get('/500', own);
    draining = true;
    await listener.drain();
    await slow.done;
    stop = true;
    await busy;
    own.destroy();
    assert.equal(lost, 0, 'no request got lost on a connection that was there');
  });

  it('ends the connection after a streamed response, even if its head said keep-alive', async () => {
    const { response, done } = await get('/stream');
    assert.equal(response.headers.connection, 'keep-alive');
    const closed = once(response.socket, 'close');
    await listener.refuse();
    underWay[0]!();
    await done;
    await closed;
    await listener.drain();
  });

  it('sends Connection: close with a response that has not begun', async () => {
    const request = ask('/later');
    await asked(1);
    await listener.refuse();
    underWay[0]!();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    assert.equal(response.headers.connection, 'close');
    await listener.drain();
  });

  it('answers one more request on open connections, and accepts no new connections', async () => {
    await (await get('/0')).done;
    await listener.refuse();
    const { response, done } = await get('/0');
    assert.equal(response.headers.connection, 'close');
    await done;
    const refused = once(ask('/0'), 'response');
    await assert.rejects(refused, { code: 'ECONNREFUSED' });
    await listener.drain();
  });

  it('serves connections that arrive while it closes', async () => {
    const late: Promise<{ response: IncomingMessage; done: Promise<unknown> }>[] = [];
    const another = () => {
      late.push(get('/0'));
      // From the next turn on. Then they come after the check for new connections, like connections that arrive in a
      // long turn.
      if (late.length < 5) setImmediate(another);
    };
    setImmediate(another);
    await listener.refuse();
    for (const { response, done } of await Promise.all(late)) {
      assert.equal(response.headers.connection, 'close');
      await done;
    }
    await assert.rejects(once(ask('/0'), 'response'), { code: 'ECONNREFUSED' });
    await listener.drain();
  });

  it('does not wait for connections without a request', async () => {
    const idle = [
      connectTcp({ host: '127.0.0.1', port: listener.port }),
      connect({ host: '127.0.0.1', port: listener.port, ca: pki.read('ca.crt') }),
    ];
    await Promise.all([once(idle[0]!, 'connect'), once(idle[1]!, 'secureConnect')]);
    await (await get('/0')).done;
    for (const socket of idle) socket.on('error', () => {}).resume();
    const closed = idle.map((socket) => once(socket, 'close'));
    const started = performance.now();
    await listener.drain();
    const took = performance.now() - started;
    assert.ok(took < 20_000, `it took ${took} ms`);
    await Promise.all(closed);
  });
});

describe('a listener with configured cipher suites', () => {
  const suite = 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384';
  const cases: readonly [what: string, client: ConnectionOptions, protocol: string | undefined, cipher?: string][] = [
    ['accepts TLS 1.3', {}, 'TLSv1.3'],
    ['accepts the configured suite', { maxVersion: 'TLSv1.2' }, 'TLSv1.2', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
    ['refuses other suites', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }, undefined],
    ['refuses older versions', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }, undefined],
  ];
  for (const [what, client, protocol, cipher] of cases) {
    it(what, async () => {
      const pki = testPki();
      const listener = await listen(answer, {
        certFile: pki.file('server.crt'),
        keyFile: pki.file('server.key'),
        tls: readServingTls('', [suite]),
        clientCa: () => [],
        address: '127.0.0.1',
        port: 0,
        log: pino({ level: 'silent' }),
      });
      const socket = connect({ host: '127.0.0.1', port: listener.port, ca: pki.read('ca.crt'), ...client });
      try {
        if (protocol === undefined) await assert.rejects(once(socket, 'secureConnect'));
        else {
          await once(socket, 'secureConnect');
          assert.equal(socket.getProtocol(), protocol);
          if (cipher !== undefined) assert.equal(socket.getCipher().name, cipher);
        }
      } finally {
        socket.destroy();
        await listener.drain();
      }
    });
  }
});

describe('a listener with certificates for several server names', () => {
  it('shows each client the certificate for the requested name, and reloads certificates from disk', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'server-names-'));
    const make = (file: string, common: string, hosts: string[] = []): string => {
      const { pem, keyPem } = makeCertificate({ subject: [[CN, common]], hosts });
      writeFileSync(path.join(folder, `${file}.key`), keyPem);
      writeFileSync(path.join(folder, `${file}.crt`), pem);
      return `${path.join(folder, file)}.crt,${path.join(folder, file)}.key`;
    };
    const authority = makeAuthority('clients');
    const listener = await listen(answer, {
      certFile: make('main', 'main').split(',')[0]!,
      keyFile: path.join(folder, 'main.key'),
      tls: readServingTls('', []),
      named: readNamedCertificates([
        `${make('wide', 'wide')}:*.example,api.test`,
        make('own', 'api.example', ['own.example', '*.deep.example']),
        make('late', 'own.example', ['late.test']),
      ]),
      clientCa: () => [authority.pem],
      address: '127.0.0.1',
      port: 0,
      log: pino({ level: 'silent' }),
    });
    const client = makeCertificate({ subject: [[CN, 'client']], by: authority, usages: [CLIENT_AUTH] });
    const shown = async (servername: string): Promise<string> => {
      const socket = connect({
        host: '127.0.0.1',
        port: listener.port,
        servername,
        rejectUnauthorized: false,
        cert: client.pem,
        key: client.keyPem,
      });
      await once(socket, 'secureConnect');
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return String(subject.CN);
    };
    const cases: readonly [asked: string, shown: string][] = [
      ['', 'main'],
      ['other.test', 'main'],
      ['api.test', 'wide'],
      ['any.example', 'wide'],
      ['API.example', 'api.example'],
      ['own.example', 'api.example'],
      ['a.deep.example', 'api.example'],
      ['a.b.example', 'main'],
      ['late.test', 'own.example'],
    ];
    for (const [asked, common] of cases) assert.equal(await shown(asked), common, asked);
    make('wide', 'renewed');
    while ((await shown('api.test')) !== 'renewed') await sleep(50);
    await listener.drain();
    rmSync(folder, { recursive: true });
  }).timeout(20_000);

  it('asks for client certificates for any requested name', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'server-names-'));
    const { pem, keyPem } = makeCertificate({ subject: [[CN, 'named.example']] });
    writeFileSync(path.join(folder, 'named.crt'), pem);
    writeFileSync(path.join(folder, 'named.key'), keyPem);
    const pki = testPki();
    const seen: string[] = [];
    const listener = await listen(
      (request, response) => {
        seen.push((request.socket as TLSSocket).getPeerCertificate().subject.CN as string);
        response.end();
      },
      {
        certFile: pki.file('server.crt'),
        keyFile: pki.file('server.key'),
        tls: readServingTls('', []),
        named: readNamedCertificates([`${folder}/named.crt,${folder}/named.key`]),
        clientCa: () => [pki.read('ca.crt')],
        address: '127.0.0.1',
        port: 0,
        log: pino({ level: 'silent' }),
      },
    );
    for (const servername of ['localhost', 'named.example']) {
      const request = https.get({
        host: '127.0.0.1',
        port: listener.port,
        servername,
        rejectUnauthorized: false,
        cert: pki.read('admin.crt'),
        key: pki.read('admin.key'),
        agent: false,
      });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
    }
    assert.deepEqual(seen, ['admin', 'admin']);
    await listener.drain();
    rmSync(folder, { recursive: true });
  });
});

describe('listeners that share a port', () => {
  it('both get connections, and a listener that does not share the port is refused', async () => {
    const pki = testPki();
    const start = (sharePort: boolean, port: number, by: string) =>
      listen((_request, response) => response.end(by), {
        certFile: pki.file('server.crt'),
        keyFile: pki.file('server.key'),
        tls: readServingTls('', []),
        sharePort,
        clientCa: () => [],
        address: '127.0.0.1',
        port,
        log: pino({ level: 'silent' }),
      });
    const first = await start(true, 0, 'first');
    const second = await start(true, first.port, 'second');
    const seen = new Set<string>();
    while (seen.size < 2) {
      const request = https.get({ host: '127.0.0.1', port: first.port, ca: pki.read('ca.crt'), agent: false });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      for await (const chunk of response) seen.add(String(chunk));
    }
    await assert.rejects(start(false, first.port, 'third'), {
      name: 'ConfigError',
      message: /another process has this port/,
    });
    await Promise.all([first.drain(), second.drain()]);
  });
});
