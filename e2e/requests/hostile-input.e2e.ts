import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import fc from 'fast-check';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testNaming, testPki } from '#server/testing/replica.ts';
import { MAPS, POD, patch, table } from './hostile-requests.ts';

describe('hostile input', function () {
  this.timeout(90_000);
  let server: TestReplica;
  aroundAll((started) => {
    server = started;
  });
  for (const [what, method, path, request, status] of table) {
    it(`${what} gets ${status}, and the server keeps running`, async () => {
      const before = await server.call('GET', `${MAPS}?resourceVersion=`);
      const answer = await server.call(method, path, request);
      assert.equal(answer.status, status, answer.text.slice(0, 300));
      if (answer.json !== undefined) assert.equal(answer.json.kind, 'Status');
      const after = await server.call('GET', MAPS);
      assert.deepEqual(after.json.items, before.json.items, 'nothing was stored');
    });
  }
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    it(`${name} in a path finds nothing`, async () => {
      for (const path of [
        `/${name}`,
        `/api/${name}`,
        `/api/v1/${name}`,
        `/api/v1/watch/${name}`,
        `/api/v1/namespaces/x/${name}`,
        `/api/v1/namespaces/default/${name}/x/log`,
        `/api/v1/namespaces/default/pods/x/${name}`,
        `/api/v1/componentstatuses/${name}`,
        `/apis/${name}`,
        `/apis/apps/${name}/deployments`,
        `/apis/${name}/v1/x`,
        `/healthz/${name}`,
        `/openapi/v3/${name}`,
        `/openapi/v3/api/${name}`,
        `/debug/pprof/${name}`,
      ]) {
        for (const token of [undefined, '']) {
          const { status } = await server.call('GET', path, token === undefined ? {} : { token });
          assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
        }
      }
      const headers = { [name.replaceAll('_', '-')]: 'x', Accept: `application/json;as=${name};g=${name};v=v1, */*` };
      assert.equal((await server.call('GET', MAPS, { headers })).status, 200);
      for (const query of [`${name}=1`, `labelSelector=${name}`, `labelSelector=${name}%3Dx`]) {
        assert.ok((await server.call('GET', `${MAPS}?${query}`)).status < 500, query);
      }
      for (const query of [`fieldSelector=${name}%3Dx`, `dryRun=${name}`, `fieldValidation=${name}`]) {
        const { status } = await server.call('POST', `${MAPS}?${query}`, { body: { metadata: { name: 'y' } } });
        assert.ok(status < 500, query);
        await server.call('DELETE', `${MAPS}/y`);
      }
    });
    it(`${name} is an ordinary key of objects and an ordinary text`, async () => {
      const amounts = { [name]: '1', cpu: '1' };
      const entry = { manager: name, operation: 'Update', apiVersion: name, fieldsType: 'FieldsV1', fieldsV1: {} };
      const container = { name: 'c', image: 'i', resources: { requests: amounts, limits: amounts } };
      const bodies: readonly [path: string, body: object][] = [
        [MAPS, { metadata: { name: 'k', labels: { [name]: 'x' }, managedFields: [entry] }, data: { [name]: 'x' } }],
        [POD, { metadata: { name: 'k' }, spec: { containers: [container], overhead: amounts } }],
        [
          POD,
          {
            metadata: { name: 'k' },
            spec: { containers: [{ name: 'c', image: 'i' }], nodeSelector: { [name]: 'x' }, [name]: { [name]: 1 } },
          },
        ],
        [
          '/api/v1/namespaces/default/limitranges',
          { metadata: { name: 'k' }, spec: { limits: [{ type: name, min: amounts }] } },
        ],
        ['/api/v1/namespaces/default/resourcequotas', { metadata: { name: 'k' }, spec: { hard: amounts } }],
        ['/api/v1/namespaces/default/secrets', { metadata: { name: 'k' }, type: name, data: { [name]: 'eA==' } }],
        ['/apis/flowcontrol.apiserver.orch.io/v1beta2/flowschemas', { metadata: { name }, spec: {} }],
        ['/api/v1/nodes', { metadata: { name: 'k' }, status: { capacity: amounts } }],
      ];
      for (const [path, body] of bodies) {
        const created = await server.call('POST', path, { body });
        assert.ok(created.status < 500, `${path}: ${created.text.slice(0, 300)}`);
        if (created.status !== 201) continue;
        const own = `${path}/${created.json.metadata.name}`;
        for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']) {
          const headers = { 'Content-Type': `application/${type}` };
          const text = JSON.stringify({ apiVersion: 'v1', kind: created.json.kind, ...body });
          const raw = text.replaceAll('{', `{${JSON.stringify(name)}:{"toString":1,"valueOf":{}},`);
          for (const sent of [raw, text]) {
            const patched = await server.call('PATCH', `${own}?fieldManager=${name}&force=true`, {
              raw: sent,
              headers,
            });
            assert.ok(patched.status < 500, `${type} of ${own}: ${patched.text.slice(0, 300)}`);
          }
        }
        assert.ok((await server.call('DELETE', `${own}?gracePeriodSeconds=0`)).status < 300);
      }
    });
  }
  for (const odd of [{ toString: 1 }, { valueOf: 1, toString: { call: 1 } }, [{ toString: null }]]) {
    it(`${JSON.stringify(odd)} in place of a simple value gets a 4xx`, async () => {
      const name = 'odd';
      await server.call('POST', MAPS, { body: { metadata: { name }, data: { a: '1' } } });
      const sent: readonly [string, string, object, string][] = [
        ['PATCH', `${MAPS}/${name}`, { $patch: odd }, 'strategic-merge-patch+json'],
        ['PATCH', `${MAPS}/${name}`, { data: { $patch: odd } }, 'strategic-merge-patch+json'],
        ['PATCH', `${MAPS}/${name}`, [{ op: odd, path: odd, value: odd }], 'json-patch+json'],
        ['PATCH', `${MAPS}/${name}`, { metadata: { name: odd } }, 'merge-patch+json'],
        [
          'PATCH',
          `${MAPS}/${name}?fieldManager=x`,
          { apiVersion: 'v1', kind: odd, metadata: { name: odd } },
          'apply-patch+yaml',
        ],
        ['POST', MAPS, { apiVersion: odd, kind: odd, metadata: odd }, 'json'],
        ['POST', POD, { metadata: { name }, spec: { overhead: { cpu: odd }, containers: [] } }, 'json'],
        ['DELETE', `${MAPS}/${name}`, { gracePeriodSeconds: odd, preconditions: odd }, 'json'],
      ];
      for (const [method, path, body, type] of sent) {
        const headers = { 'Content-Type': `application/${type}` };
        const answer = await server.call(method, path, { raw: JSON.stringify(body), headers });
        assert.ok(answer.status >= 400 && answer.status < 500, `${method} ${JSON.stringify(body)}: ${answer.text}`);
      }
      const order = { metadata: { '$setElementOrder/ownerReferences': [odd] } };
      const ordered = patch('strategic-merge-patch+json', JSON.stringify(order));
      assert.ok((await server.call('PATCH', `${MAPS}/${name}`, ordered)).status < 500, 'the order of nothing');
      await server.call('DELETE', `${MAPS}/${name}`);
    });
  }
  it('parameters that cannot be parsed are ignored', async () => {
    for (const query of ['limit=%zz', 'limit=x;limit=1', 'labelSelector=%', '%zz=1&limit=5']) {
      const { status, json } = await server.call('GET', `${MAPS}?${query}`);
      assert.deepEqual([status, json?.kind], [200, 'ConfigMapList'], query);
    }
  });
  it('an empty namespace in a list path means all namespaces', async () => {
    const { json } = await server.call('GET', '/api/v1/namespaces//configmaps');
    const all = await server.call('GET', '/api/v1/configmaps');
    assert.deepEqual(json.items, all.json.items);
  });
  it('bytes that are not HTTP get a Status or a closed connection', async () => {
    const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
    socket.write('\u0016\u0003nonsense\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 40[05] /);
    assert.equal((await server.call('GET', '/livez')).status, 200);
  });
  /**
   * Sends bytes. Returns the data from the server until the server closes the connection, or has sent `answers` answers
   * and pauses.
   */
  const converse = (pieces: readonly (string | Buffer)[], answers: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => testPki().read(name));
      const socket = connect({ host: '127.0.0.1', port: server.port, ca, cert, key, servername: 'localhost' });
      let heard = '';
      let quiet: NodeJS.Timeout | undefined;
      const done = (): void => {
        clearTimeout(quiet);
        socket.destroy();
        resolve(heard);
      };
      socket.on('data', (chunk) => {
        heard += chunk.toString('latin1');
        clearTimeout(quiet);
        if (statuses(heard).length >= answers) quiet = setTimeout(done, 200);
      });
      socket.on('close', done).on('error', reject);
      for (const piece of pieces) socket.write(piece);
    });
  const statuses = (answers: string): string[] =>
    [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1]!);
  const LIVE = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const post = (head: string, body: string): string =>
    `POST ${MAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${head}\r\n${body}`;
  const conversations: readonly [what: string, sent: string[], answers: string[]][] = [
    ['an absolute URL', ['GET https://other:1/livez HTTP/1.1\r\nHost: localhost\r\n\r\n'], ['200']],
    ['an absolute URL without a path', ['GET https://other HTTP/1.1\r\nHost: localhost\r\n\r\n'], ['200']],
    ['CONNECT', ['CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n\r\n'], ['405']],
    ['TRACE', [`TRACE ${MAPS} HTTP/1.1\r\nHost: localhost\r\n\r\n`], ['405']],
    ['OPTIONS', ['OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n'], ['404']],
    ['three requests at once', [LIVE + LIVE + LIVE], ['200', '200', '200']],
    ['a refused body and a request after it', [post('Content-Length: 6\r\n', '{"a":[') + LIVE], ['400', '200']],
    ['two Content-Length headers', [post('Content-Length: 5\r\nContent-Length: 6\r\n', '{}')], ['400']],
    [
      'Content-Length and chunked encoding',
      [post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${LIVE}`)],
      ['400'],
    ],
    ['an unknown transfer coding', [post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')], ['400']],
    ['invalid chunks', [post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n')], ['400']],
    ['a path of 300 KB', [`GET /${'x'.repeat(300_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`], ['431']],
    ['a path of 3 MB', [`GET /${'x'.repeat(3_000_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`], ['431']],
    ['300 headers', [`GET / HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(300)}\r\n`], ['431']],
    ['NUL in a path', [`GET ${MAPS}/a%00b HTTP/1.1\r\nHost: localhost\r\n\r\n`], ['404']],
  ];
  for (const [what, sent, answers] of conversations) {
    it(`${what}: ${answers.join(', ')}`, async () => {
      assert.deepEqual(statuses(await converse(sent, answers.length)), answers);
    });
  }
  const upgrade = `GET ${POD}/x/exec HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`;
  const connecting = 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n';
  const mixtures: readonly [what: string, sent: string][] = [
    ['an upgrade request', upgrade],
    ['upgrades', upgrade.repeat(50)],
    ['an upgrade after a request', LIVE + upgrade],
    ['an upgrade after a list', `GET ${MAPS} HTTP/1.1\r\nHost: x\r\n\r\n${upgrade}`],
    ['an upgrade after a watch', `GET ${MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n${upgrade}`],
    ['CONNECT after a request', LIVE + connecting],
    ['CONNECT after a watch', `GET ${MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n${connecting}`],
    ['invalid bytes after a watch', `GET ${MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n${'?'.repeat(1000)}\r\n\r\n`],
    ['a thousand requests', LIVE.repeat(1000)],
  ];
  for (const [what, sent] of mixtures) {
    for (const known of [true, false]) {
      it(`${what} of ${known ? 'a user' : 'no user'} does not harm the server`, async () => {
        const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => testPki().read(name));
        const who = known ? { ca, cert, key, servername: 'localhost' } : { rejectUnauthorized: false };
        const socket = connect({ host: '127.0.0.1', port: server.port, ...who });
        socket.on('error', () => {}).resume();
        socket.write(sent);
        await sleep(100);
        socket.destroy();
        assert.equal((await server.call('GET', '/livez')).status, 200);
      });
    }
  }
  it('a second question mark is a part of the parameter name', async () => {
    const { text } = await server.call('GET', `${MAPS}??watch=1`);
    assert.equal(JSON.parse(text).kind, 'ConfigMapList');
  });
  it('an unexpected body is read, and a body that never arrives ends the connection', async () => {
    const unwanted = 'GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000000\r\n\r\n';
    assert.deepEqual(statuses(await converse([unwanted, 'x'.repeat(4_000_000), LIVE], 2)), ['200', '200']);
    const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
    socket.write(unwanted);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of socket) chunks.push(chunk as Buffer);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET');
    }
    assert.equal(statuses(Buffer.concat(chunks).toString()).length, 1);
  });
  it('a client that does not read its list is disconnected at the timeout', async () => {
    await server.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'large' } } });
    const large = '/api/v1/namespaces/large/configmaps';
    for (let i = 0; i < 20; i++) {
      const body = { metadata: { name: `m${i}` }, data: { k: 'x'.repeat(900_000) } };
      assert.equal((await server.call('POST', large, { body })).status, 201);
    }
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => testPki().read(name));
    const socket = connect({ host: '127.0.0.1', port: server.port, ca, cert, key, servername: 'localhost' });
    await once(socket.on('error', () => {}).pause(), 'secureConnect');
    const hex = (port = 0) => port.toString(16).toUpperCase().padStart(4, '0');
    const served = new RegExp(`:${hex(server.port)} \\w+:${hex(socket.localPort)} 01 `);
    assert.match(readFileSync('/proc/net/tcp', 'utf8'), served);
    socket.write(`GET ${large}?timeout=1s HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    // If this never happens, mocha's time limit ends the test.
    while (served.test(readFileSync('/proc/net/tcp', 'utf8'))) await sleep(100);
    let length = 0;
    for await (const chunk of socket) length += (chunk as Buffer).length;
    assert.ok(length < 18_000_000, `${length} bytes`);
  });
  it('a request whose body never arrives gets 504 at its timeout', async () => {
    const sent = server.call('POST', `${MAPS}?timeout=300ms`, { headers: { 'Content-Length': '10' } });
    assert.equal((await sent).status, 504);
  });
  const SECRETS = `/api/v1/namespaces/${testNaming.prefixed('system')}/secrets`;
  /** All values that a header can have. */
  const value = fc
    .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
    .filter((text) => !text.includes('\u007f'));
  it('a random Authorization header gets 401 or 403', async () => {
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
      { numRuns: 100 },
    );
  });
  it('impersonation headers get 400 or 403 if the user has no permission', async () => {
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
      { numRuns: 70 },
    );
  });
  it('impersonation headers never cause an error for a user with the permission', async () => {
    await fc.assert(
      fc.asyncProperty(value, value, value, async (user, group, extra) => {
        const headers = { 'Impersonate-User': user, 'Impersonate-Group': group, 'Impersonate-Extra-x': extra };
        const { status } = await server.call('GET', SECRETS, { headers });
        assert.ok(status < 500, `${status} for ${JSON.stringify(headers)}`);
      }),
      { numRuns: 70 },
    );
  });
  it('invalid bytes in headers get 400, and the server keeps running', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(bytes, async (some) => {
        const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
        // The data is sent in one piece. Data that arrives after the server has closed the connection would reset the
        // connection, and the answer would be lost.
        const head = 'GET /api HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ';
        socket.write(Buffer.concat([Buffer.from(head), some, Buffer.from('\r\n\r\n')]));
        const chunks: Buffer[] = [];
        for await (const chunk of socket) chunks.push(chunk as Buffer);
        const [, code = ''] = /^HTTP\/1\.1 (\d{3}) /.exec(Buffer.concat(chunks).toString('latin1')) ?? [];
        assert.match(code, /^4\d\d$/, `for ${Buffer.from(some).toString('hex')}`);
      }),
      { numRuns: 50 },
    );
    assert.equal((await server.call('GET', '/livez')).status, 200);
  });
});
