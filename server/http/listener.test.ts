import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect } from 'node:tls';
import { pino } from 'pino';
import { readServingTls } from '../config/serving-tls.ts';
import { testPki } from '../testing/replica.ts';
import { listen } from './listener.ts';

/** Answers after the milliseconds that the path names; the head goes out at once. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  response.flushHeaders();
  setTimeout(() => response.end('ok'), Number(request.url?.slice(1)));
}

describe('a listener that drains', () => {
  it('sends away clients that keep their connections busy, and lets a request under way end', async () => {
    const pki = testPki();
    const listener = await listen(answer, {
      certFile: pki.file('server.crt'),
      keyFile: pki.file('server.key'),
      tls: { minVersion: 'TLSv1.2', ciphers: undefined },
      clientCa: () => [],
      address: '127.0.0.1',
      port: 0,
      log: pino({ level: 'silent' }),
    });
    const agent = new https.Agent({ keepAlive: true, ca: pki.read('ca.crt') });
    const get = async (path: string) => {
      const request = https.get({ host: '127.0.0.1', port: listener.port, path, agent });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return { done: once(response.resume(), 'end') };
    };
    let answers = 0;
    let stop = false;
    const busy = (async () => {
      while (!stop) {
        try {
          await (await get('/5')).done;
          answers++;
          await sleep(5);
        } catch {
          await sleep(20);
        }
      }
    })();
    while (answers < 20) await sleep(10);
    const slow = await get('/500');
    const started = performance.now();
    await listener.drain();
    assert.ok(performance.now() - started < 2000, 'it does not wait for the client to tire');
    await slow.done;
    stop = true;
    await busy;
    agent.destroy();
  });
});

describe('a listener that says how to encrypt', () => {
  const suite = 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384';
  const cases: readonly [what: string, client: ConnectionOptions, protocol: string | undefined, cipher?: string][] = [
    ['takes TLS 1.3', {}, 'TLSv1.3'],
    ['takes the suite that is named', { maxVersion: 'TLSv1.2' }, 'TLSv1.2', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
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
