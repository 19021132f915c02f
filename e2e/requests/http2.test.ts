import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2, { type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica, testPki } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** The size of a body that is larger than a stream may send before the client reads. */
const LARGE = 600_000;

describe('a replica over HTTP/2', function () {
  this.timeout(60_000);
  const pki = testPki();
  const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => pki.read(name));
  let etcd: EtcdProcess;
  let replica: TestReplica;
  let sessions: ClientHttp2Session[] = [];
  let stopped: Promise<void> | undefined;

  before(async () => {
    etcd = await startBootstrappedEtcd();
  });

  after(() => etcd.stop());

  beforeEach(async () => {
    stopped = undefined;
    sessions = [];
    replica = await startReplica(etcd.endpoint);
  });

  afterEach(async () => {
    for (const session of sessions) session.destroy();
    await (stopped ?? replica.stop());
  });

  const client = (identity: object = { cert, key }) => {
    const options = { ca, servername: 'localhost', ...identity };
    const session = http2.connect(`https://127.0.0.1:${replica.port}`, options);
    session.on('error', () => {});
    sessions.push(session);
    return session;
  };
  const ask = async (session: ClientHttp2Session, method: string, path: string, body?: object, more = {}) => {
    const type: OutgoingHttpHeaders = body === undefined ? {} : { 'content-type': 'application/json' };
    const stream = session.request({ ':method': method, ':path': path, ...type, ...more }, { endStream: !body });
    if (body !== undefined) stream.end(JSON.stringify(body));
    const [headers] = await once(stream, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    return { status: headers[':status'], headers, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  };

  it('gives the same answers as over HTTP/1.1', async () => {
    const session = client();
    const created = await ask(session, 'POST', MAPS, { metadata: { name: 'a' }, data: { large: 'x'.repeat(LARGE) } });
    assert.equal(created.status, 201);
    const read = await ask(session, 'GET', `${MAPS}/a`);
    assert.deepEqual(read.json, created.json);
    assert.deepEqual(read.json, (await replica.call('GET', `${MAPS}/a`)).json);
    assert.equal(read.headers['content-length'], String(Buffer.byteLength(read.text)));
    const list = await ask(session, 'GET', MAPS, undefined, { 'accept-encoding': 'gzip' });
    assert.equal(list.headers['content-encoding'], 'gzip');
    const head = await ask(session, 'HEAD', `${MAPS}/a`);
    assert.deepEqual(
      [head.status, head.text, head.headers['content-length']],
      [200, '', read.headers['content-length']],
    );
    const missing = await ask(session, 'GET', `${MAPS}/b`);
    assert.deepEqual([missing.status, missing.json.reason], [404, 'NotFound']);
    const odd = await ask(session, 'BREW', `${MAPS}/a`);
    assert.equal(odd.status, 405);
    const tooLarge = await ask(session, 'PUT', `${MAPS}/a`, { data: { large: 'x'.repeat(4 << 20) } });
    assert.equal(tooLarge.status, 413);
    assert.equal((await ask(session, 'DELETE', `${MAPS}/a`)).status, 200);
  });

  it('authenticates each request by certificate or token', async () => {
    const userOf = ({ json }: { json: { message: string } }) => /User "([^"]*)"/.exec(json.message)?.[1];
    const token = pki.read('tokens.csv').split('\n')[1]!.split(',')[0]!;
    const session = client({});
    const secrets = '/api/v1/namespaces/default/secrets';
    assert.equal(userOf(await ask(session, 'GET', secrets, undefined, { authorization: `Bearer ${token}` })), 'bob');
    assert.equal(userOf(await ask(session, 'GET', secrets)), 'system:anonymous');
    assert.equal((await ask(session, 'GET', secrets, undefined, { authorization: 'Bearer x' })).status, 401);
    assert.equal((await ask(client(), 'GET', secrets)).status, 200);
  });

  it('refuses CONNECT and malformed requests', async () => {
    const session = client();
    const stream = session.request({ ':method': 'CONNECT', ':authority': 'localhost:1' });
    const [headers] = await once(stream, 'response');
    assert.equal(headers[':status'], 405);
    stream.close();
    const exec = await ask(session, 'GET', '/api/v1/namespaces/default/pods/none/exec?command=x');
    assert.ok(exec.status >= 400 && exec.status < 500, String(exec.status));
  });

  it('streams many watches on one connection, and closes it gracefully when it stops', async () => {
    const session = client();
    const streams = Array.from({ length: 20 }, () => session.request({ ':path': `${MAPS}?watch=1` }));
    const seen = streams.map(() => '');
    const ends = streams.map((stream, i) => {
      stream.on('data', (chunk) => (seen[i] += chunk));
      return once(stream, 'close');
    });
    await Promise.all(streams.map((stream) => once(stream, 'response')));
    assert.equal((await ask(session, 'POST', MAPS, { metadata: { name: 'seen' } })).status, 201);
    while (!seen.every((text) => text.includes('"seen"'))) await sleep(10);
    const told = once(session, 'goaway');
    stopped = replica.stop();
    assert.equal((await told)[0], http2.constants.NGHTTP2_NO_ERROR);
    await Promise.all(ends);
    assert.deepEqual(new Set(streams.map(({ rstCode }) => rstCode)), new Set([http2.constants.NGHTTP2_NO_ERROR]));
    await stopped;
  });

  it('is used only by clients that negotiate it', async () => {
    const agreed = async (ALPNProtocols?: string[]) => {
      const options = { host: '127.0.0.1', port: replica.port, ca, servername: 'localhost' };
      const socket = connect({ ...options, ...(ALPNProtocols === undefined ? {} : { ALPNProtocols }) });
      await once(socket, 'secureConnect');
      socket.destroy();
      return socket.alpnProtocol;
    };
    assert.equal(await agreed(['http/1.1', 'h2']), 'h2');
    assert.equal(await agreed(['http/1.1']), 'http/1.1');
    assert.equal(await agreed(), false);
    await replica.stop();
    replica = await startReplica(etcd.endpoint, '--disable-http2-serving');
    assert.equal(await agreed(['h2', 'http/1.1']), 'http/1.1');
  });
});
