import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { CN, makeAuthority, makeCertificate } from '#base/x509/make-certificate.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica, testPki } from '#server/testing/replica.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

describe('a replica with serving flags', () => {
  let etcd: EtcdProcess;

  before(async () => {
    etcd = await startBootstrappedEtcd();
  });

  after(() => etcd.stop());

  it('sends CORS and HSTS headers and its external address', async () => {
    const replica = await startReplica(
      etcd.endpoint,
      '--cors-allowed-origins=^https://console\\.example$',
      '--strict-transport-security-directives=max-age=31536000,includeSubDomains',
      '--external-hostname=api.example',
    );
    const headers = { Origin: 'https://console.example' };
    const preflight = await replica.call('OPTIONS', '/api/v1/pods', { token: '', headers });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], 'https://console.example');
    assert.equal(preflight.headers['strict-transport-security'], 'max-age=31536000; includeSubDomains');
    const answer = await replica.call('GET', '/api', { headers });
    assert.equal(answer.headers['access-control-expose-headers'], 'Date');
    assert.equal(answer.json.serverAddressByClientCIDRs[0].serverAddress, `api.example:${replica.port}`);
    const refused = await replica.call('GET', '/api/v1/pods', { token: 'nobody', headers });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers['access-control-allow-origin'], 'https://console.example', 'pages may see why');
    const elsewhere = await replica.call('OPTIONS', '/version', { headers: { Origin: 'https://other.example' } });
    assert.notEqual(elsewhere.status, 204);
    assert.equal(elsewhere.headers['access-control-allow-origin'], undefined);
    await replica.stop();
  });

  it('creates a self-signed certificate if none is given', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cert-dir-'));
    const replica = await startReplica(
      etcd.endpoint,
      '--tls-cert-file=',
      '--tls-private-key-file=',
      `--cert-dir=${folder}`,
      '--external-hostname=api.example',
    );
    const ca = readFileSync(path.join(folder, 'apiserver.crt'));
    for (const servername of ['localhost', 'api.example', 'orch.default.svc']) {
      const socket = connect({ host: '127.0.0.1', port: replica.port, servername, ca });
      await once(socket, 'secureConnect');
      socket.destroy();
    }
    await replica.stop();
    rmSync(folder, { recursive: true });
  });

  it('uses the certificate in --cert-dir and does not change it', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cert-dir-'));
    // Installers of test environments make certificates that are valid for a week.
    const ca = makeAuthority('installer');
    const { pem, keyPem } = makeCertificate({ subject: [[CN, 'x']], by: ca, ips: ['127.0.0.1'], to: 7 });
    writeFileSync(path.join(folder, 'apiserver.crt'), pem);
    writeFileSync(path.join(folder, 'apiserver.key'), keyPem);
    const replica = await startReplica(
      etcd.endpoint,
      '--tls-cert-file=',
      '--tls-private-key-file=',
      `--cert-dir=${folder}`,
    );
    const socket = connect({ host: '127.0.0.1', port: replica.port, ca: ca.pem });
    await once(socket, 'secureConnect');
    socket.destroy();
    await replica.stop();
    assert.deepEqual(readdirSync(folder), ['apiserver.crt', 'apiserver.key']);
    assert.equal(readFileSync(path.join(folder, 'apiserver.crt'), 'utf8'), pem);
    rmSync(folder, { recursive: true });
  });

  it('answers new requests with 429 and Retry-After while it stops, and finishes running requests', async () => {
    const replica = await startReplica(etcd.endpoint, '--shutdown-send-retry-after', '--shutdown-delay-duration=3s');
    const pki = testPki();
    const body = JSON.stringify({ metadata: { name: 'slow' } });
    const slow = https.request({
      host: '127.0.0.1',
      port: replica.port,
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      ca: pki.read('ca.crt'),
      cert: pki.read('admin.crt'),
      key: pki.read('admin.key'),
      agent: false,
      headers: { 'Content-Type': 'application/json', 'Content-Length': body.length, Expect: '100-continue' },
    });
    slow.flushHeaders();
    await once(slow, 'continue');
    slow.write(body.slice(0, 5));
    const get = async (path: string): Promise<IncomingMessage> => {
      const request = https.get({
        host: '127.0.0.1',
        port: replica.port,
        path,
        ca: pki.read('ca.crt'),
        cert: pki.read('admin.crt'),
        key: pki.read('admin.key'),
        agent: false,
      });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return response.resume();
    };
    const watch = await get('/api/v1/configmaps?watch=1');
    const watchEnded = once(watch, 'end');
    const stopped = replica.stop();
    assert.equal((await get('/api')).statusCode, 200, 'the delay is not over');
    assert.equal((await get('/readyz')).statusCode, 500, 'but it says that it leaves');
    await watchEnded;
    const refused = await get('/api/v1/namespaces');
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers['retry-after'], '5');
    assert.equal(refused.headers.connection, 'close');
    assert.equal((await get('/livez')).statusCode, 200);
    slow.end(body.slice(5));
    const [created] = (await once(slow, 'response')) as [IncomingMessage];
    assert.equal(created.statusCode, 201);
    created.resume();
    await stopped;
    await assert.rejects(get('/livez'), { code: 'ECONNREFUSED' });
  });
});

describe('a replica with deletion flags', () => {
  let etcd: EtcdProcess;

  before(async () => {
    etcd = await startBootstrappedEtcd();
  });

  after(() => etcd.stop());

  const names = async (replica: TestReplica) =>
    (await replica.call('GET', configMaps)).json.items.map(
      (item: { metadata: { name: string } }) => item.metadata.name,
    );
  const configMaps = '/api/v1/namespaces/work/configmaps';

  for (const [collects, left] of [
    ['true', ['kept']],
    ['false', []],
  ] as const) {
    it(`leaves ${left.join() || 'nothing'} for a garbage collector with --enable-garbage-collector=${collects}`, async () => {
      const replica = await startReplica(
        etcd.endpoint,
        '--delete-collection-workers=4',
        `--enable-garbage-collector=${collects}`,
      );
      const post = (path: string, name: string) => replica.call('POST', path, { body: { metadata: { name } } });
      await post('/api/v1/namespaces', 'work');
      await Promise.all(Array.from({ length: 12 }, (_, i) => post(configMaps, `a${i}`)));
      const deleted = await replica.call('DELETE', configMaps);
      assert.equal(deleted.json.items.length, 12);
      assert.deepEqual(await names(replica), []);
      assert.equal((await post(configMaps, 'kept')).status, 201);
      await replica.call('DELETE', `${configMaps}/kept?propagationPolicy=Foreground`);
      assert.deepEqual(await names(replica), left);
      await replica.call('PATCH', `${configMaps}/kept`, {
        headers: { 'Content-Type': 'application/merge-patch+json' },
        body: { metadata: { finalizers: null } },
      });
      await replica.stop();
    });
  }
});

describe('a replica with flags about the API service', () => {
  let etcd: EtcdProcess;

  before(async () => {
    etcd = await EtcdProcess.start();
  });

  after(() => etcd.stop());

  it('offers the service on a node port and does not write its endpoints', async () => {
    const replica = await startReplica(
      etcd.endpoint,
      '--orch-service-node-port=30443',
      '--endpoint-reconciler-type=none',
    );
    const services = '/api/v1/namespaces/default/services';
    const { json } = await replica.call('GET', `${services}/orch`);
    assert.equal(json.spec.type, 'NodePort');
    assert.deepEqual(json.spec.ports, [
      { name: 'https', protocol: 'TCP', port: 443, targetPort: replica.port, nodePort: 30443 },
    ]);
    const port = { port: 80, nodePort: 30443 };
    const other = await replica.call('POST', services, {
      body: { metadata: { name: 'other' }, spec: { type: 'NodePort', ports: [port] } },
    });
    assert.equal(other.status, 422);
    assert.match(other.json.message, /port is already allocated/);
    await sleep(500);
    assert.equal((await replica.call('GET', '/api/v1/namespaces/default/endpoints/orch')).status, 404);
    await replica.stop();
  });

  it('writes its endpoints by default and does not change the service', async () => {
    const replica = await startReplica(etcd.endpoint);
    const endpoints = () => replica.call('GET', '/api/v1/namespaces/default/endpoints/orch');
    while ((await endpoints()).status === 404) await sleep(50);
    assert.equal((await endpoints()).json.subsets[0].ports[0].port, replica.port);
    const { json } = await replica.call('GET', '/api/v1/namespaces/default/services/orch');
    assert.equal(json.spec.type, 'NodePort');
    await replica.stop();
  });
});
