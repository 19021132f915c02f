import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { pino } from 'pino';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startLoggingReplica, type TestReplica, testNaming, testPki } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('a client that disconnects before the response', function () {
  this.timeout(60_000);
  let etcd: EtcdProcess;
  let server: TestReplica;
  /** A webhook that accepts connections and never answers. */
  let silent: Server;
  const held = new Set<Socket>();
  const lines: { level: number; msg: string; code?: number; path?: string }[] = [];

  before(async () => {
    etcd = await startBootstrappedEtcd();
    const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) });
    server = await startLoggingReplica(log, etcd.endpoint);
    silent = createServer((socket) => {
      held.add(socket.on('error', () => {}));
      socket.once('close', () => held.delete(socket));
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] };
    const webhook = {
      name: 'silent.example.com',
      clientConfig: { url },
      rules: [rule],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      timeoutSeconds: 30,
    };
    const group = `/apis/${testNaming.group('admissionregistration')}/v1/validatingwebhookconfigurations`;
    const body = { metadata: { name: 'silent' }, webhooks: [webhook] };
    assert.equal((await server.call('POST', group, { body })).status, 201);
  });
  after(async () => {
    for (const socket of held) socket.destroy();
    silent?.close();
    await server?.stop();
    await etcd?.stop();
  });

  it('is not counted as an error in the log or in metrics', async () => {
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => testPki().read(name));
    const body = JSON.stringify({ metadata: { name: 'left' } });
    // A new configuration takes effect for requests a moment later.
    for (let tries = 0; held.size === 0; tries++) {
      assert.ok(tries < 50, 'the webhook is asked');
      const socket = connect({ host: '127.0.0.1', port: server.port, ca, cert, key, servername: 'localhost' });
      socket.on('error', () => {});
      socket.write(
        `POST ${MAPS}?dryRun=All HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      for (let waited = 0; waited < 20 && held.size === 0; waited++) await sleep(20);
      socket.destroy();
    }
    const left = () => lines.find(({ msg, path }) => msg === 'the client went away' && path === MAPS);
    for (let waited = 0; left() === undefined && waited < 500; waited++) await sleep(20);
    assert.equal(left()?.code, 499);
    assert.deepEqual(
      lines.filter(({ level }) => level >= 50),
      [],
    );
    const metrics = (await server.call('GET', '/metrics')).text.split('\n');
    const of = (code: string) => metrics.filter((line) => line.includes(`code="${code}"`) && line.includes('"POST"'));
    assert.ok(of('499').some((line) => line.includes('resource="configmaps"')));
    assert.deepEqual(
      metrics.filter((line) => /^apiserver_request_total\{.*code="5/.test(line)),
      [],
    );
  });
});
