import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { createNaming } from '#base/naming/create-naming.ts';
import { CLIENT_AUTH, CN, makeAuthority, makeCertificate } from '#base/x509/make-certificate.ts';
import { type EtcdProcess, freePort } from '#storage-etcd/testing/etcd-process.ts';
import { startBootstrappedEtcd } from '../../testing/bootstrapped-etcd.ts';
import { startReplica, type TestAnswer, type TestReplica } from '../../testing/replica.ts';
import { type HookServer, startHookServer } from './testing/hook-server.ts';

const naming = createNaming('orch');
const CONFIGURATIONS = `/apis/${naming.group('admissionregistration')}/v1`;

describe('admission webhooks', () => {
  let directory: string;
  let etcd: EtcdProcess;
  let replica: TestReplica;
  let hook: HookServer;
  let guarded: HookServer;
  let made: string[] = [];

  /** Registers webhooks of the namespace `testing`. The test gives only the fields that matter. */
  async function register(kind: 'mutating' | 'validating', ...webhooks: readonly object[]): Promise<void> {
    const name = `c${made.length}`;
    const target = `${CONFIGURATIONS}/${kind}webhookconfigurations`;
    const body = {
      metadata: { name },
      webhooks: webhooks.map((webhook, i) => ({
        name: `w${i}.example.com`,
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { [naming.key('metadata.name')]: 'testing' } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 1,
        ...webhook,
      })),
    };
    const answer = await replica.call('POST', target, { body });
    assert.equal(answer.status, 201, answer.text);
    made.push(`${target}/${name}`);
  }

  const client = (where: string, server = hook) => ({
    url: `${server.url}/${where}`,
    caBundle: Buffer.from(server.ca).toString('base64'),
  });

  const create = (name: string, namespace = 'testing'): Promise<TestAnswer> =>
    replica.call('POST', `/api/v1/namespaces/${namespace}/configmaps`, { body: { metadata: { name } } });

  before(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'webhooks-'));
    hook = await startHookServer(
      {
        deny: {
          response: { allowed: false, status: { code: 418, message: 'no' }, warnings: ['mind', 'w'.repeat(257)] },
        },
        slow: { delayMs: 3000 },
        five: { together: 5 },
        junk: { raw: '<html>' },
        broken: { raw: 'oh', status: 500 },
        label: { patch: [{ op: 'add', path: '/metadata/labels', value: { seen: 'yes' } }] },
        huge: { raw: ' '.repeat(7 << 20) },
      },
      { hosts: ['hook.testing.svc'] },
    );
    guarded = await startHookServer({}, { requireClient: true, hosts: ['localhost'] });
    const mine = makeCertificate({ subject: [[CN, 'apiserver']], by: guarded.authority, usages: [CLIENT_AUTH] });
    const data = (text: string) => Buffer.from(text).toString('base64');
    const users = {
      users: [
        {
          name: new URL(guarded.url).host,
          user: { 'client-certificate-data': data(mine.pem), 'client-key-data': data(mine.keyPem) },
        },
        { name: `*.testing.svc:${new URL(hook.url).port}`, user: { username: 'u', password: 'p' } },
        { name: '*', user: { token: 'secret' } },
      ],
    };
    writeFileSync(path.join(directory, 'users.conf'), stringify(users));
    const kinds = { apiVersion: naming.apiVersion('apiserver.config', 'v1') };
    const configuration = { ...kinds, kind: 'WebhookAdmissionConfiguration', kubeConfigFile: 'users.conf' };
    const plugins = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'];
    writeFileSync(
      path.join(directory, 'admission.yaml'),
      stringify({
        ...kinds,
        kind: 'AdmissionConfiguration',
        plugins: plugins.map((name) => ({ name, configuration })),
      }),
    );
    etcd = await startBootstrappedEtcd();
    replica = await startReplica(
      etcd.endpoint,
      `--admission-control-config-file=${path.join(directory, 'admission.yaml')}`,
    );
    for (const name of ['testing', 'elsewhere']) {
      await replica.call('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    }
  });

  afterEach(async () => {
    for (const target of made) await replica.call('DELETE', target);
    made = [];
    await replica.call('DELETE', '/api/v1/namespaces/testing/configmaps');
  });

  after(async () => {
    await replica.stop();
    await etcd.stop();
    await Promise.all([hook.stop(), guarded.stop()]);
    rmSync(directory, { recursive: true });
  });

  it('change and refuse objects', async () => {
    await register('mutating', { clientConfig: client('label') });
    await register('validating', {
      clientConfig: client('deny'),
      objectSelector: { matchLabels: { seen: 'yes' } },
    });
    const answer = await create('a');
    assert.equal(answer.status, 418);
    assert.match(answer.json.message, /^admission webhook "w0.example.com" denied the request: no$/);
    const cut = `299 - "${'w'.repeat(256)}"`;
    assert.deepEqual(answer.headers['warning'], `299 - "mind", ${cut}`, 'each is cut, however few there are');
    assert.equal((await create('a', 'elsewhere')).status, 201);
  });

  const failures: Record<string, { where?: string; config?: () => Promise<object>; why: RegExp }> = {
    'is too slow': { where: 'slow', why: /context deadline exceeded/ },
    'answers another kind of object': { where: 'junk', why: /couldn't get version\/kind/ },
    'answers with an error': { where: 'broken', why: /an error on the server \("oh"\)/ },
    'sends an answer that is too long': { where: 'huge', why: /longer than/ },
    'is not running': {
      config: async () => ({ url: `https://127.0.0.1:${await freePort()}` }),
      why: /: dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/,
    },
    'has an untrusted certificate': {
      config: async () => ({ ...client(''), caBundle: Buffer.from(makeAuthority('other').pem).toString('base64') }),
      why: /certificate/,
    },
    'is to be proved by a placeholder': {
      config: async () => ({ ...client(''), caBundle: 'Cg==' }),
      why: /could not get REST client: unable to load root certificates: unable to parse bytes as PEM block$/,
    },
    'has a certificate for another name': {
      config: () => publish('wrong', hook),
      why: /wrong\.testing\.svc/,
    },
  };
  for (const [what, { where = '', config, why }] of Object.entries(failures)) {
    it(`follow failurePolicy if the backend ${what}`, async () => {
      const clientConfig = config === undefined ? client(where) : await config();
      await register('validating', { clientConfig, failurePolicy: 'Fail' });
      const refused = await create('a');
      assert.equal(refused.status, 500);
      assert.match(refused.json.message, /^Internal error occurred: failed calling webhook "w0.example.com": /);
      assert.match(refused.json.message, why);
      await replica.call('DELETE', made.pop()!);
      await register('mutating', { clientConfig, failurePolicy: 'Ignore' });
      await register('validating', { clientConfig, failurePolicy: 'Ignore' });
      assert.equal((await create('a')).status, 201);
    });
  }

  it('run in parallel for validation, and reuse connections', async () => {
    const five = Array.from({ length: 5 }, () => ({ clientConfig: client('five') }));
    await register('validating', ...five);
    await create('warm');
    const sockets = hook.sockets;
    assert.equal((await create('a')).status, 201);
    assert.equal(hook.sockets, sockets);
  });

  it('are cancelled when the request ends', async () => {
    await register('validating', { clientConfig: client('slow'), timeoutSeconds: 30 });
    const answer = await replica.call('POST', '/api/v1/namespaces/testing/configmaps?timeout=300ms', {
      body: { metadata: { name: 'a' } },
    });
    // The time of the request ended before the time limit of the webhook.
    assert.equal(answer.status, 504, answer.text);
    const call = hook.calls.at(-1)!;
    // If this never happens, mocha's time limit ends the test.
    while (!call.abandoned) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('cannot prevent listing and deletion of webhook configurations, nor requests in other namespaces', async () => {
    const everything = {
      clientConfig: { url: `https://127.0.0.1:${await freePort()}` },
      rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
    };
    const excluded = { matchExpressions: [{ key: 'open', operator: 'DoesNotExist' }] };
    await replica.call('PATCH', '/api/v1/namespaces/elsewhere', {
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: { metadata: { labels: { open: '' } } },
    });
    await register('validating', { ...everything, namespaceSelector: excluded });
    await register('mutating', { ...everything, namespaceSelector: excluded });
    assert.equal((await create('a')).status, 500);
    assert.equal((await create('b', 'elsewhere')).status, 201);
    const [first, second] = made as [string, string];
    const folder = first.slice(0, first.lastIndexOf('/'));
    assert.equal((await replica.call('GET', folder)).json.items.length, 1);
    for (const target of [first, second]) assert.equal((await replica.call('DELETE', target)).status, 200);
    made = [];
    assert.equal((await create('a')).status, 201);
  });

  it('authenticate the server by client certificate, password or token', async () => {
    const service = await publish('hook', hook, 'basic');
    const { port } = new URL(hook.url);
    await register(
      'validating',
      { clientConfig: client('certificate', guarded) },
      { clientConfig: service },
      { clientConfig: client('token') },
    );
    const answer = await create('a');
    assert.equal(answer.status, 201, answer.text);
    assert.equal(guarded.calls.at(-1)!.peer, 'apiserver');
    const byPath = (where: string) => hook.calls.filter((call) => call.path === where).at(-1)!;
    assert.equal(byPath('basic').headers.authorization, `Basic ${Buffer.from('u:p').toString('base64')}`);
    assert.equal(byPath('token').headers.authorization, 'Bearer secret');
    assert.equal(byPath('token').headers.host, `127.0.0.1:${port}`);
  });

  it('are called at their path without duplicate slashes', async () => {
    const service = await publish('hook', hook, 'slashes/');
    await register('validating', { clientConfig: service }, { clientConfig: client('/more//slashes/') });
    await create('a');
    for (const where of ['slashes', 'more/slashes'])
      assert.ok(
        hook.calls.some((call) => call.path === where),
        where,
      );
  });

  it('count refusals by cause and status code', async () => {
    await register('validating', { clientConfig: client('deny') });
    await create('a');
    const { text } = await replica.call('GET', '/metrics');
    const line = text.split('\n').find((row) => row.includes('rejection_count{') && row.includes('"418"'));
    assert.match(line ?? '', /error_type="no_error"/);
    assert.match(line ?? '', /type="validating"/);
    assert.match(line ?? '', /operation="CREATE"/);
  });

  /** A service in the namespace that resolves to this machine. */
  async function publish(name: string, server: HookServer, where = ''): Promise<object> {
    await replica.call('POST', '/api/v1/namespaces/testing/services', {
      body: { metadata: { name }, spec: { type: 'ExternalName', externalName: 'localhost' } },
    });
    const service = { namespace: 'testing', name, port: Number(new URL(server.url).port), path: `/${where}` };
    return { service, caBundle: Buffer.from(server.ca).toString('base64') };
  }
});
