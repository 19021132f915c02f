import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { createNaming } from '#base/naming/create-naming.ts';
import { ensureCertificates } from '#scripts/certificates.ts';
import { createEtcdStore } from '#storage-etcd/etcd-store.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { startBootstrappedEtcd } from '../testing/bootstrapped-etcd.ts';
import { testPki } from '../testing/replica.ts';
import { ReplicaProcess } from '../testing/replica-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ENDPOINTS = `/api/v1/namespaces/default/endpoints/${createNaming('orch').product}`;

async function eventually(what: string, seconds: number, check: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await check())) {
    assert.ok(Date.now() < end, `${what} within ${seconds} s`);
    await sleep(100);
  }
}

/**
 * Makes a serving certificate that is valid for this number of days, unless the existing one is valid for another week.
 */
function makeCertificate(days: number): void {
  const names = ['IP:127.0.0.1', 'DNS:localhost'];
  ensureCertificates(testPki().directory, [
    { name: 'workers', subject: '/CN=apiserver', issuer: 'ca', usage: ['serverAuth'], names, days },
  ]);
}

/** The fingerprints of the serving certificates in `count` new connections. */
function servingCertificates(port: number, count: number): Promise<(string | undefined)[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = tls.connect({ host: '127.0.0.1', port, ca: testPki().read('ca.crt') });
      await once(socket, 'secureConnect');
      const fingerprint = socket.getPeerX509Certificate()?.fingerprint256;
      socket.destroy();
      return fingerprint;
    }),
  );
}

describe('a replica with two workers', function () {
  this.timeout(90_000);
  let etcd: EtcdProcess;
  let replica: ReplicaProcess;

  before(async () => {
    etcd = await startBootstrappedEtcd();
    makeCertificate(5);
    const files = [
      `--tls-cert-file=${testPki().file('workers.crt')}`,
      `--tls-private-key-file=${testPki().file('workers.key')}`,
    ];
    replica = await ReplicaProcess.launch(etcd, '--workers=2', '--shutdown-delay-duration=5s', ...files);
    await replica.ready();
  });

  after(async () => {
    await replica?.process.stop();
    await etcd?.stop();
  });

  it('has one endpoint in the API service', async () => {
    assert.equal(replica.workers.length, 2);
    const { body } = await replica.call('GET', ENDPOINTS);
    const { subsets } = JSON.parse(body) as { subsets: { addresses: { ip: string }[]; ports: { port: number }[] }[] };
    assert.deepEqual(
      subsets.map(({ addresses, ports }) => [addresses.map(({ ip }) => ip), ports.map(({ port }) => port)]),
      [[['127.0.0.1'], [replica.port]]],
    );
  });

  it('adds the counts of both workers', async () => {
    for (let i = 0; i < 20; i++) assert.equal((await replica.call('GET', MAPS)).status, 200);
    const lists =
      'apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="configmaps",scope="namespace",subresource="",verb="LIST",version="v1"}';
    assert.deepEqual([await replica.metric(lists), await replica.metric(lists)], [20, 20]);
    const resident = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    const [first = 0, second = 0] = replica.workers.map(resident);
    const measured = (await replica.metric('process_resident_memory_bytes')) / 1024;
    assert.ok(measured > 1.3 * Math.max(first, second), `${measured} KiB are those of ${first} and ${second} together`);
    assert.equal(await replica.metric('apiserver_workers{state="serving"}'), 2);
  });

  it('restarts a worker that was killed, without an effect on clients of the other workers', async () => {
    const before = replica.workers;
    const requests =
      'apiserver_request_duration_seconds_count{component="apiserver",dry_run="",group="",resource="configmaps",scope="namespace",subresource="",verb="LIST",version="v1"}';
    const counted = await replica.metric(requests);
    assert.ok(counted >= 20);
    const watches = await Promise.all(Array.from({ length: 24 }, () => replica.watch(MAPS)));
    const cut = new Set<number>();
    watches.forEach(({ ended }, i) => void ended.then(() => cut.add(i)));
    process.kill(before[0]!, 'SIGKILL');
    const start = Date.now();
    for (let i = 0; i < 20; i++) assert.equal((await replica.persistently('GET', MAPS)).status, 200);
    assert.ok(Date.now() - start < 15_000, 'no request waits for a worker that is gone');
    await eventually('another worker', 30, async () => (await replica.persistently('GET', '/readyz')).status === 200);
    assert.ok(cut.size > 0 && cut.size < watches.length, `${cut.size} of ${watches.length} watches are cut`);
    const after = replica.workers;
    assert.equal(after.length, 2);
    assert.deepEqual(
      after.filter((pid) => before.includes(pid)),
      [before[1]],
    );
    assert.equal(await replica.metric('apiserver_worker_restarts_total{reason="ended"}'), 1);
    assert.ok((await replica.metric(requests)) >= counted, 'what counts up does not go back');
    for (const { close } of watches) close();
  });

  it('serves requests while a worker is frozen, reports it as unhealthy, and replaces it', async () => {
    const [, frozen = 0] = replica.workers;
    process.kill(frozen, 'SIGSTOP');
    const requests = Array.from({ length: 10 }, async () => {
      // One request waits until the supervisor ends the worker, and then the other worker answers the request.
      const { status } = await replica.call('GET', MAPS, undefined, 30_000);
      return status;
    });
    await eventually('it is not well', 30, async () => {
      const asked = ['/livez?verbose', '/readyz/workers'].map((path) => replica.call('GET', path, undefined, 5_000));
      const [live, one] = (await Promise.allSettled(asked)).map((answer) =>
        answer.status === 'fulfilled' ? `${answer.value.status} ${answer.value.body}` : '',
      );
      return /^500 [\s\S]*\[-\]workers failed/.test(live!) && /worker \d does not answer/.test(one!);
    });
    assert.deepEqual(await Promise.all(requests), Array(10).fill(200));
    await eventually('another worker', 40, async () => (await replica.persistently('GET', '/readyz')).status === 200);
    assert.ok(!replica.workers.includes(frozen));
    assert.equal(await replica.metric('apiserver_worker_restarts_total{reason="frozen"}'), 1);
  });

  it('reloads a new certificate in every worker', async () => {
    const [before] = await servingCertificates(replica.port, 1);
    makeCertificate(30);
    const renewed = new X509Certificate(testPki().read('workers.crt')).fingerprint256;
    assert.notEqual(before, renewed);
    await eventually('the new one from all', 15, async () => {
      const shown = await servingCertificates(replica.port, 8);
      return shown.every((fingerprint) => fingerprint === renewed);
    });
  });

  it('shuts down all workers at the end signal', async () => {
    const watch = await replica.watch(MAPS);
    const stopped = replica.process.stop();
    await eventually('readiness fails first', 5, async () => (await replica.call('GET', '/readyz')).status === 500);
    const statuses = await Promise.all([0, 1, 2, 3].map(async () => (await replica.call('GET', '/readyz')).status));
    assert.deepEqual(statuses, [500, 500, 500, 500], 'of all');
    assert.equal((await replica.call('GET', MAPS)).status, 200, 'while requests are still answered');
    assert.equal(await watch.ended, 'clean');
    await stopped;
    assert.equal(replica.process.exit(), 'status 0');
    const store = createEtcdStore({ endpoints: [etcd.endpoint], prefix: '/registry' });
    assert.deepEqual((await store.list('/registry/masters/', {})).items, [], 'and it is an endpoint no longer');
    await store.close();
  });
});

describe('worker processes', function () {
  this.timeout(60_000);
  let etcd: EtcdProcess;

  before(async () => {
    etcd = await startBootstrappedEtcd();
  });

  after(() => etcd.stop());

  it('end when their supervisor is killed', async () => {
    const replica = await ReplicaProcess.launch(etcd, '--workers=2');
    await replica.ready();
    const { workers } = replica;
    process.kill(replica.process.pid, 'SIGKILL');
    await eventually('their end', 30, () => workers.every((pid) => !existsSync(`/proc/${pid}`)));
  });

  it('do not exist with --workers=1', async () => {
    const replica = await ReplicaProcess.launch(etcd, '--workers=1');
    await replica.ready();
    assert.deepEqual(replica.workers, [0]);
    assert.equal((await replica.call('GET', '/readyz/workers')).status, 404);
    await replica.process.stop();
  });
});
