import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HookServer, startHookServer } from '#server/admission/webhooks/testing/hook-server.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica, testNaming, testPki } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('a replica that stops gracefully', function () {
  this.timeout(60_000);
  let etcd: EtcdProcess;
  let hook: HookServer;
  let replica: TestReplica;
  let agents: https.Agent[] = [];
  let stopped: Promise<void> | undefined;

  before(async () => {
    etcd = await startBootstrappedEtcd();
    hook = await startHookServer({ slow: { delayMs: 2000 } });
  });

  after(async () => {
    await hook?.stop();
    await etcd?.stop();
  });

  beforeEach(async () => {
    stopped = undefined;
    replica = await startReplica(etcd.endpoint);
  });

  afterEach(async () => {
    for (const agent of agents) agent.destroy();
    agents = [];
    await (stopped ?? replica.stop());
  });

  /** A client that uses one connection for all requests. */
  function client() {
    const pki = testPki();
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => pki.read(name));
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca, cert, key, servername: 'localhost' });
    agents.push(agent);
    const begin = (method: string, path: string, body?: object) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': text.length };
      return https.request({ host: '127.0.0.1', port: replica.port, method, path, headers, agent }).end(text);
    };
    const ask = async (method: string, path: string, body?: object) => {
      const [response] = (await once(begin(method, path, body), 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of response) text += chunk;
      return { status: response.statusCode, headers: response.headers, text };
    };
    const watch = async (query = '') => {
      const [response] = (await once(begin('GET', `${MAPS}?watch=1${query}`), 'response')) as [IncomingMessage];
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      const ended = Promise.all([once(response, 'end'), once(response.socket, 'close')]);
      return { status: response.statusCode, headers: response.headers, text: () => text, ended };
    };
    return { ask, watch };
  }

  it('ends watches with a bookmark, closes their connections, and refuses new requests with 429', async () => {
    const [watching, keeping] = [client(), client()];
    assert.equal((await keeping.ask('GET', '/api')).headers.connection, 'keep-alive');
    const list = JSON.parse((await keeping.ask('GET', MAPS)).text);
    const watch = await watching.watch(`&resourceVersion=${list.metadata.resourceVersion}&allowWatchBookmarks=true`);
    assert.deepEqual([watch.status, watch.headers.connection], [200, 'keep-alive']);
    const elsewhere = await replica.call('POST', '/api/v1/namespaces', { body: { metadata: { generateName: 'n-' } } });
    assert.equal(elsewhere.status, 201);
    stopped = replica.stop();
    await watch.ended;
    const [bookmark, ...rest] = watch.text().trim().split('\n');
    const { type, object } = JSON.parse(bookmark!);
    assert.deepEqual([type, rest], ['BOOKMARK', []]);
    assert.ok(Number(object.metadata.resourceVersion) >= Number(elsewhere.json.metadata.resourceVersion));
    const refused = await keeping.ask('GET', `${MAPS}?watch=1`);
    assert.deepEqual([refused.status, refused.headers['retry-after'], refused.headers.connection], [429, '1', 'close']);
    assert.equal(JSON.parse(refused.text).reason, 'TooManyRequests');
    await assert.rejects(client().ask('GET', MAPS), { code: 'ECONNREFUSED' });
  });

  it('finishes writes in progress, even if they wait for a webhook', async () => {
    const name = 'slow-hook';
    const path = `/apis/${testNaming.group('admissionregistration')}/v1/validatingwebhookconfigurations`;
    const webhook = {
      name: 'slow.example.com',
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 20,
      clientConfig: { url: `${hook.url}/slow`, caBundle: Buffer.from(hook.ca).toString('base64') },
    };
    const registered = await replica.call('POST', path, { body: { metadata: { name }, webhooks: [webhook] } });
    assert.equal(registered.status, 201, registered.text);
    const created = client().ask('POST', MAPS, { metadata: { name: 'under-way' } });
    while (hook.calls.length === 0) await sleep(10);
    stopped = replica.stop();
    const { status, headers, text } = await created;
    assert.deepEqual([status, headers.connection], [201, 'close'], text);
    await stopped;
    const again = await startReplica(etcd.endpoint);
    assert.equal((await again.call('DELETE', `${path}/${name}`)).status, 200);
    assert.equal((await again.call('GET', `${MAPS}/under-way`)).status, 200);
    await again.stop();
  });
});
