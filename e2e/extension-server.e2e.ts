import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import { CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import { type ConnectedClient, connect } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { Connection } from '#program/connection/connection.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type RunningExtensionServer, startExtensionServer } from './extension-server/extension-server.ts';
import { type Replica, startReplica, temporaryPki } from './replica.ts';
import { openWatch } from './watch-stream.ts';

const GROUP = 'shelf.example.com';
const SERVICE = 'shelf';
const API_SERVICES = '/apis/apiregistration.orch.io/v1/apiservices';
const RBAC = '/apis/rbac.authorization.orch.io/v1';
const RBAC_GROUP = 'rbac.authorization.orch.io';
const BOOKS = `/apis/${GROUP}/v1/namespaces/default/books`;
const TYPE: ResourceType = { group: GROUP, version: 'v1', plural: 'books', kind: 'Book', namespaced: true };

const book = (name: string, spec: object = { title: name, pages: 100 }) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Book',
  metadata: { name },
  spec,
});

describe('an extension API server built from the parts of this project, behind two replicas', function () {
  this.timeout(300_000);
  const pki = temporaryPki();
  const naming = createNaming('orch');
  const authority = makeAuthority('shelf-ca');
  const stops: (() => Promise<unknown>)[] = [];
  let one: Replica;
  let other: Replica;
  let extension: RunningExtensionServer;

  before(async () => {
    const etcd = await EtcdProcess.start();
    stops.push(() => etcd.stop());
    const frontProxy = ['cert', 'key'].map(
      (part) => `--proxy-client-${part}-file=${pki.file(`front-proxy.${part === 'cert' ? 'crt' : 'key'}`)}`,
    );
    one = await startReplica(pki, etcd.endpoint, { flags: frontProxy });
    stops.push(() => one.stop());
    other = await startReplica(pki, etcd.endpoint, { flags: frontProxy });
    stops.push(() => other.stop());
    extension = await start();
    stops.push(() => extension.stop());
    await register();
  });

  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  async function make(path: string, body: object): Promise<{ status: { token: string } }> {
    const answer = await one.request('POST', path, body);
    assert.equal(answer.status, 201, answer.body);
    return JSON.parse(answer.body);
  }

  const binding = (role: string, name: string, subject: object) => ({
    metadata: { name: `shelf-${name}` },
    roleRef: { apiGroup: RBAC_GROUP, kind: role, name },
    subjects: [subject],
  });

  /** Starts the server with an account that may create reviews, read the trusted authorities, and list namespaces. */
  async function start(): Promise<RunningExtensionServer> {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    const account = { kind: 'ServiceAccount', namespace: 'default', name: SERVICE };
    await make(accounts, { metadata: { name: SERVICE } });
    const { token } = (await make(`${accounts}/${SERVICE}/token`, { spec: {} })).status;
    const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }];
    await make(`${RBAC}/clusterroles`, { metadata: { name: 'namespace-reader' }, rules });
    await make(`${RBAC}/clusterrolebindings`, binding('ClusterRole', 'namespace-reader', account));
    await make(`${RBAC}/clusterrolebindings`, binding('ClusterRole', 'system:auth-delegator', account));
    await make(
      `${RBAC}/namespaces/orch-system/rolebindings`,
      binding('Role', 'extension-apiserver-authentication-reader', account),
    );
    const host = `${SERVICE}.default.svc`;
    const { pem, keyPem } = makeCertificate({
      subject: [[CN, SERVICE]],
      by: authority,
      hosts: [host],
      usages: [SERVER_AUTH],
    });
    const [certFile, keyFile, connectionFile] = ['shelf.crt', 'shelf.key', 'shelf.connection'].map((name) =>
      pki.file(name),
    ) as [string, string, string];
    writeFileSync(certFile, pem);
    writeFileSync(keyFile, keyPem, { mode: 0o600 });
    const server = `https://127.0.0.1:${one.port}`;
    writeConnectionFile(connectionFile, SERVICE, { server, ca: pki.read('ca.crt'), token });
    return startExtensionServer({ group: GROUP, connectionFile, certFile, keyFile });
  }

  async function register(): Promise<void> {
    await make('/api/v1/namespaces/default/services', {
      metadata: { name: SERVICE },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await make(API_SERVICES, {
      metadata: { name: `v1.${GROUP}` },
      spec: {
        group: GROUP,
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        caBundle: Buffer.from(authority.pem).toString('base64'),
        service: { namespace: 'default', name: SERVICE, port: extension.port },
      },
    });
    await atBoth('books are served', async (replica) => (await replica.request('GET', BOOKS)).status === 200);
  }

  async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 60_000;
    while (!(await isSo())) {
      if (Date.now() > deadline) throw new Error(`not within a minute: ${what}`);
      await sleep(100);
    }
  }

  async function atBoth(what: string, isSo: (replica: Replica) => Promise<boolean>): Promise<void> {
    for (const replica of [one, other]) await until(`${what} at port ${replica.port}`, () => isSo(replica));
  }

  /** The code and message of the refusal of a call. Undefined if the server accepted the call. */
  async function refusalOf(call: Promise<unknown>): Promise<{ code: number; message: string } | undefined> {
    try {
      await call;
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return error;
    }
  }

  async function withClient<T>(
    { port }: { port: number },
    cluster: Omit<Connection['cluster'], 'server'>,
    user: Connection['user'],
    use: (client: ConnectedClient) => Promise<T>,
  ): Promise<T> {
    const client = await connect({ cluster: { server: `https://127.0.0.1:${port}`, ...cluster }, user }, { naming });
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  /** Lists books at the extension server's own port. */
  function listDirectly(user: Connection['user'], headers: Record<string, string>) {
    const cluster = { ca: { text: authority.pem }, tlsServerName: `${SERVICE}.default.svc` };
    const call = { method: 'GET', path: BOOKS, headers: { accept: 'application/json', ...headers } };
    return withClient(extension, cluster, user, (client) => refusalOf(client.call(call)));
  }

  const [, bobToken = ''] = /^(.*?),bob,/m.exec(pki.read('tokens.csv')) ?? [];
  const bob: Connection['user'] = { token: { text: bobToken } };
  const frontProxy: Connection['user'] = {
    clientCertificate: { file: pki.file('front-proxy.crt') },
    clientKey: { file: pki.file('front-proxy.key') },
  };

  const listAsBob = (replica: Replica) =>
    withClient(replica, { ca: { file: pki.file('ca.crt') } }, bob, (client) =>
      refusalOf(client.resource(TYPE).in('default').list()),
    );

  it('is in the discovery documents of both replicas', async () => {
    for (const replica of [one, other]) {
      const groups = await replica.request('GET', '/apis');
      assert.ok(groups.body.includes(`"${GROUP}"`), groups.body);
      const { resources } = JSON.parse((await replica.request('GET', `/apis/${GROUP}/v1`)).body);
      assert.deepEqual(
        resources.map(({ name, kind }: { name: string; kind: string }) => [name, kind]),
        [['books', 'Book']],
      );
    }
  });

  it('shows at one replica what is written at the other', async () => {
    const watch = await openWatch(other, `${BOOKS}?watch=true`);
    try {
      const made = await one.request('POST', BOOKS, book('emma'));
      assert.equal(made.status, 201, made.body);
      const added = await watch.next();
      assert.deepEqual([added.type, added.object], ['ADDED', JSON.parse(made.body)]);
      const read = JSON.parse((await other.request('GET', `${BOOKS}/emma`)).body);
      assert.deepEqual(read, JSON.parse(made.body));
      assert.deepEqual(read.spec, { title: 'emma', pages: 100, language: 'en' });
      const { items } = JSON.parse((await other.request('GET', BOOKS)).body);
      assert.deepEqual(items, [read]);
      const removed = await other.request('DELETE', `${BOOKS}/emma`);
      assert.equal(removed.status, 200, removed.body);
      const deleted = await watch.next();
      assert.deepEqual([deleted.type, deleted.object.metadata.name], ['DELETED', 'emma']);
      assert.equal((await one.request('GET', `${BOOKS}/emma`)).status, 404);
    } finally {
      watch.close();
    }
  });

  it('refuses invalid objects and namespaces that do not exist', async () => {
    const untitled = await one.request('POST', BOOKS, book('untitled', { pages: 0 }));
    assert.equal(untitled.status, 422, untitled.body);
    assert.match(untitled.body, /spec\.title: Required value/);
    const nowhere = await other.request('POST', BOOKS.replace('/default/', '/nowhere/'), book('emma'));
    assert.equal(nowhere.status, 404, nowhere.body);
    assert.match(nowhere.body, /namespaces \\"nowhere\\" not found/);
  });

  it('trusts only the front proxy and tokens of the main server, and authorizes by its rules', async () => {
    const asBob = { 'X-Remote-User': 'bob', 'X-Remote-Group': 'dev' };
    const asMaster = { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' };
    const admin = { clientCertificate: { file: pki.file('admin.crt') }, clientKey: { file: pki.file('admin.key') } };
    assert.equal((await listDirectly({}, asMaster))?.code, 401);
    assert.equal((await listDirectly(admin, asMaster))?.code, 401);
    assert.equal((await listDirectly({ token: { text: 'nonsense' } }, {}))?.code, 401);
    assert.equal(await listDirectly(frontProxy, asMaster), undefined);
    for (const replica of [one, other]) assert.equal((await listAsBob(replica))?.code, 403);
    const expected = /User "bob" cannot list resource "books" in API group "shelf\.example\.com"/;
    for (const refused of [await listDirectly(frontProxy, asBob), await listDirectly(bob, {})]) {
      assert.equal(refused?.code, 403);
      assert.match(refused.message, expected);
    }
    const rules = [{ apiGroups: [GROUP], resources: ['books'], verbs: ['list'] }];
    await make(`${RBAC}/namespaces/default/roles`, { metadata: { name: 'reader' }, rules });
    const subject = { kind: 'User', apiGroup: RBAC_GROUP, name: 'bob' };
    await make(`${RBAC}/namespaces/default/rolebindings`, binding('Role', 'reader', subject));
    await until('bob is let in', async () => (await listDirectly(frontProxy, asBob)) === undefined);
    // The server remembers each refusal separately.
    await until('bob is let in by his token', async () => (await listDirectly(bob, {})) === undefined);
    await atBoth('bob is let in', async (replica) => (await listAsBob(replica)) === undefined);
  });

  it('is not served after its registration is removed', async () => {
    const removed = await one.request('DELETE', `${API_SERVICES}/v1.${GROUP}`);
    assert.equal(removed.status, 200, removed.body);
    await atBoth('books are gone', async (replica) => (await replica.request('GET', BOOKS)).status === 404);
    await atBoth('the group is gone', async (replica) => !(await replica.request('GET', '/apis')).body.includes(GROUP));
  });
});
