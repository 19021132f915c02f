import assert from 'node:assert/strict';
import { connect } from 'node:tls';
import fc from 'fast-check';
import { EtcdProcess } from '../storage-etcd/testing/etcd-process.ts';
import { startReplica, type TestReplica, type TestRequest, testPki } from './testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const POD = '/api/v1/namespaces/default/pods';
const patch = (type: string, raw: string): TestRequest => ({ raw, headers: { 'Content-Type': `application/${type}` } });

/** What a client sends, and what it gets. */
const table: readonly [what: string, method: string, path: string, request: TestRequest, status: number][] = [
  ['an unknown path', 'GET', '/nope', {}, 404],
  ['an unknown version', 'GET', '/apis/apps/v9/deployments', {}, 404],
  ['an unknown resource', 'GET', '/api/v1/things', {}, 404],
  ['a path with broken escapes', 'GET', '/api/v1/namespaces/%zz/pods', {}, 404],
  ['a very long name', 'GET', `${MAPS}/${'x'.repeat(4000)}`, {}, 404],
  ['an empty body', 'POST', MAPS, { raw: '' }, 400],
  ['no JSON', 'POST', MAPS, { raw: '{"metadata":' }, 400],
  ['a list', 'POST', MAPS, { raw: '[]' }, 400],
  ['a number', 'POST', MAPS, { raw: '1e999' }, 400],
  ['deep nesting', 'POST', MAPS, { raw: `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}` }, 400],
  ['invalid UTF-8', 'POST', MAPS, { raw: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) }, 400],
  ['another kind', 'POST', MAPS, { raw: '{"kind":"Pod","apiVersion":"v1"}' }, 400],
  ['a foreign media type', 'POST', MAPS, { raw: '<a/>', headers: { 'Content-Type': 'text/xml' } }, 415],
  ['broken protobuf', 'POST', MAPS, patch('vnd.orch.protobuf', 'k8s\0\x0a\xff\xff\xff\xff\xff'), 400],
  [
    'a YAML bomb',
    'POST',
    MAPS,
    patch(
      'yaml',
      `a: &a [x,x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [*${n === 0 ? 'a' : `b${n - 1}`},*${n === 0 ? 'a' : `b${n - 1}`}]`).join('\n')}`,
    ),
    400,
  ],
  [
    'a body over the limit',
    'POST',
    MAPS,
    { raw: JSON.stringify({ metadata: { name: 'x' }, data: { k: 'x'.repeat(4 << 20) } }) },
    413,
  ],
  [
    'prototype keys',
    'POST',
    MAPS,
    { raw: '{"metadata":{"name":"proto","labels":{"__proto__":"x"}},"data":{"__proto__":"y","constructor":"z"}}' },
    422,
  ],
  ['an odd resource version', 'GET', `${MAPS}?resourceVersion=abc`, {}, 400],
  ['a negative resource version', 'GET', `${MAPS}?resourceVersion=-1`, {}, 400],
  ['an odd continue token', 'GET', `${MAPS}?continue=%00`, {}, 400],
  [
    'a token that leaves its collection',
    'GET',
    `${MAPS}?continue=${Buffer.from('{"v":"meta.orch.io/v1","rv":1,"start":"../../x"}').toString('base64url')}`,
    {},
    400,
  ],
  ['an odd label selector', 'GET', `${MAPS}?labelSelector=${encodeURIComponent('a in (b')}`, {}, 400],
  ['an odd field selector', 'GET', `${MAPS}?fieldSelector=nope%3D1`, {}, 400],
  ['an odd limit', 'GET', `${MAPS}?limit=many`, {}, 400],
  ['an odd patch', 'PATCH', `${MAPS}/none`, patch('merge-patch+json', '{'), 400],
  ['a patch of nothing', 'PATCH', `${MAPS}/none`, patch('merge-patch+json', '{}'), 404],
  ['a patch without a type', 'PATCH', `${MAPS}/none`, { raw: '{}' }, 415],
  ['an odd dry run', 'POST', `${MAPS}?dryRun=Maybe`, { body: { metadata: { name: 'x' } } }, 422],
  ['an odd grace period', 'DELETE', `${POD}/x?gracePeriodSeconds=soon`, {}, 400],
  ['an odd Accept', 'GET', MAPS, { headers: { Accept: 'text/html' } }, 406],
  ['a wrong method', 'PUT', MAPS, { body: {} }, 405],
  [
    'a namespace that is not there',
    'POST',
    '/api/v1/namespaces/nowhere/configmaps',
    { body: { metadata: { name: 'x' } } },
    404,
  ],
  ['another namespace in the body', 'POST', MAPS, { body: { metadata: { name: 'x', namespace: 'other' } } }, 400],
  ['a bad name', 'POST', MAPS, { body: { metadata: { name: 'Not Good' } } }, 422],
  ['control characters in a name', 'POST', MAPS, { body: { metadata: { name: 'a\u0000b' } } }, 422],
];

describe('hostile input', function () {
  this.timeout(30_000);
  let etcd: EtcdProcess;
  let server: TestReplica;

  before(async () => {
    etcd = await EtcdProcess.start();
    server = await startReplica(etcd.endpoint);
  });

  after(async () => {
    await server?.stop();
    await etcd?.stop();
  });

  for (const [what, method, path, request, status] of table) {
    it(`${what} gets ${status}, and the server goes on`, async () => {
      const before = await server.call('GET', `${MAPS}?resourceVersion=`);
      const answer = await server.call(method, path, request);
      assert.equal(answer.status, status, answer.text.slice(0, 300));
      if (answer.json !== undefined) assert.equal(answer.json.kind, 'Status');
      const after = await server.call('GET', MAPS);
      assert.deepEqual(after.json.items, before.json.items, 'nothing was stored');
    });
  }

  it('bytes that are no HTTP get a Status or a closed connection', async () => {
    const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
    socket.write('\u0016\u0003nonsense\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 40[05] /);
    assert.equal((await server.call('GET', '/livez')).status, 200);
  });

  it('a body that never comes ends with the request timeout', async () => {
    const sent = server.call('POST', `${MAPS}?timeout=300ms`, { headers: { 'Content-Length': '10' } });
    assert.equal((await sent).status, 504);
  });

  const SECRETS = '/api/v1/namespaces/orch-system/secrets';
  /** What a header can carry at all. */
  const value = fc
    .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
    .filter((text) => !text.includes('\u007f'));

  it('any Authorization header gets 401 or 403, and never what it asks for', async () => {
    const scheme = fc.constantFrom('Bearer ', 'bearer  ', 'Basic ', 'Digest ', 'Negotiate ', '');
    const segment = fc.oneof(
      fc.base64String(),
      fc
        .constantFrom({ alg: 'none' }, { alg: 'HS256' }, { iss: 'https://orch.default.svc' })
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')),
    );
    const token = fc.oneof(
      value,
      fc.tuple(segment, segment, segment).map((parts) => parts.join('.')),
    );
    await fc.assert(
      fc.asyncProperty(scheme, token, async (before, text) => {
        const headers = { Authorization: before + text };
        const { status } = await server.call('GET', SECRETS, { token: '', headers });
        assert.ok(status === 401 || status === 403, `${status} for ${JSON.stringify(headers)}`);
      }),
      { numRuns: 1000 },
    );
  });

  it('impersonation headers get 400 or 403 from who may not impersonate', async () => {
    const bob = /^([^,]*),bob,/m.exec(testPki().read('tokens.csv').toString())?.[1] ?? '';
    assert.equal((await server.call('GET', '/version', { token: bob })).status, 200);
    const headers = fc.record(
      {
        'Impersonate-User': fc.oneof(value, fc.constant('admin')),
        'Impersonate-Group': fc.oneof(value, fc.constant('system:masters')),
        'Impersonate-Uid': value,
        'Impersonate-Extra-A%2F': value,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(headers, async (some) => {
        const { status } = await server.call('GET', SECRETS, { token: bob, headers: some });
        assert.ok(status === 400 || status === 403, `${status} for ${JSON.stringify(some)}`);
      }),
      { numRuns: 500 },
    );
  });

  it('impersonation headers never fail for who may impersonate', async () => {
    await fc.assert(
      fc.asyncProperty(value, value, value, async (user, group, extra) => {
        const headers = { 'Impersonate-User': user, 'Impersonate-Group': group, 'Impersonate-Extra-x': extra };
        const { status } = await server.call('GET', SECRETS, { headers });
        assert.ok(status < 500, `${status} for ${JSON.stringify(headers)}`);
      }),
      { numRuns: 300 },
    );
  });

  it('header bytes that HTTP does not allow get 400, and the server goes on', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(bytes, async (some) => {
        const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
        socket.on('error', () => {});
        socket.write('GET /api HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ');
        socket.write(some);
        socket.end('\r\n\r\n');
        const chunks: Buffer[] = [];
        for await (const chunk of socket) chunks.push(chunk as Buffer);
        const [, code = ''] = /^HTTP\/1\.1 (\d{3}) /.exec(Buffer.concat(chunks).toString('latin1')) ?? [];
        assert.match(code, /^4\d\d$/, `for ${Buffer.from(some).toString('hex')}`);
      }),
      { numRuns: 100 },
    );
    assert.equal((await server.call('GET', '/livez')).status, 200);
  });
});
