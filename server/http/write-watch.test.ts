import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { startBootstrappedEtcd } from '../testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica, testPki } from '../testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('a watch whose client reads nothing', function () {
  this.timeout(60_000);
  let etcd: EtcdProcess;
  let replica: TestReplica;

  before(async () => {
    etcd = await startBootstrappedEtcd();
    replica = await startReplica(etcd.endpoint);
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  /** Opens a watch and does not read its events. */
  async function deafWatch(query: string) {
    const pki = testPki();
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => pki.read(name));
    const socket = connect({ host: '127.0.0.1', port: replica.port, ca, cert, key, servername: 'localhost' });
    await once(socket, 'secureConnect');
    socket.on('error', () => {});
    socket.pause();
    socket.write(`GET ${MAPS}?watch=1&${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return socket;
  }

  async function watchers(): Promise<number> {
    const { text } = await replica.call('GET', '/metrics');
    return [...text.matchAll(/^apiserver_longrunning_requests\{.*resource="configmaps".*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  }

  async function settle(count: number): Promise<void> {
    for (let n = 0; n < 600 && (await watchers()) !== count; n++) await sleep(100);
    assert.equal(await watchers(), count);
  }

  /** Writes more than the kernel buffers for a connection. */
  async function fill(): Promise<void> {
    const data = { filler: 'x'.repeat(900_000) };
    for (let n = 0; n < 14; n++) {
      const name = `filler-${n}`;
      const { status } = await replica.call('POST', MAPS, { body: { metadata: { name }, data } });
      assert.equal(status, 201);
      await replica.call('DELETE', `${MAPS}/${name}`);
    }
  }

  it('ends at its timeout', async () => {
    const socket = await deafWatch('timeoutSeconds=4');
    await settle(1);
    await fill();
    await settle(0);
    socket.destroy();
  });

  it('does not prevent the server from stopping', async () => {
    const socket = await deafWatch('');
    await settle(1);
    await fill();
    const started = performance.now();
    await replica.stop();
    assert.ok(performance.now() - started < 45_000);
    socket.destroy();
    replica = await startReplica(etcd.endpoint);
  });
});
