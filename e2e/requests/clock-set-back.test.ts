import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testPki } from '#server/testing/replica.ts';
import { StoreUnavailableError } from '#storage/object-store.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import { freePort } from '#storage-etcd/testing/etcd-process.ts';

const HOUR = 3_600_000;

/** Runs an action. A moment after its beginning, the machine's clock is set back by one hour until its end. */
async function setBack<T>(work: () => Promise<T>): Promise<T> {
  const now = Date.now.bind(Date);
  const result = work();
  result.catch(() => {});
  await sleep(500);
  const mocked = mock.method(Date, 'now', () => now() - HOUR);
  try {
    return await result;
  } finally {
    mocked.mock.restore();
  }
}

// Mocha's time limit is far above all limits in this test, and far below an hour.
describe('a clock that is set back', function () {
  this.timeout(60_000);
  let replica: TestReplica;

  aroundAll((started) => (replica = started), '--request-timeout=2s');

  it('does not extend the time limits of store calls', async () => {
    const store = createEtcdStore({ endpoints: [`http://127.0.0.1:${await freePort()}`], unavailableAfterMs: 1_500 });
    await setBack(() => assert.rejects(store.get('/registry/a'), StoreUnavailableError));
    await store.close();
  });

  it('does not extend the deadlines of requests', async () => {
    const pki = testPki();
    await setBack(async () => {
      const request = https.request({
        host: '127.0.0.1',
        port: replica.port,
        method: 'POST',
        path: '/api/v1/namespaces/default/configmaps',
        ca: pki.read('ca.crt'),
        cert: pki.read('admin.crt'),
        key: pki.read('admin.key'),
        agent: false,
        headers: { 'Content-Type': 'application/json', 'Content-Length': 1000 },
      });
      request.on('error', () => {});
      request.write('{');
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      assert.equal(response.statusCode, 504);
      request.destroy();
    });
  });
});
