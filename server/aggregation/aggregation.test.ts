import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { aroundAll } from '../testing/around-all.ts';
import { type TestAnswer, type TestReplica, testPki } from '../testing/replica.ts';
import { ExtensionServer } from './testing/extension-server.ts';

const SERVICES = '/apis/apiregistration.orch.io/v1/apiservices';
const NAMESPACE = 'default';

describe('an extension server behind the layer', () => {
  let replica: TestReplica;
  const servers: ExtensionServer[] = [];
  let count = 0;

  aroundAll(
    (started) => {
      replica = started;
    },
    `--proxy-client-cert-file=${testPki().file('front-proxy.crt')}`,
    `--proxy-client-key-file=${testPki().file('front-proxy.key')}`,
  );

  after(async () => {
    for (const server of servers) await server.stop();
  });

  async function until(target: string, is: (answer: TestAnswer) => boolean): Promise<TestAnswer> {
    for (;;) {
      const answer = await replica.call('GET', target);
      if (is(answer)) return answer;
      await sleep(50);
    }
  }

  const hasReason = (reason: string) => (answer: TestAnswer) => answer.json?.status?.conditions?.[0]?.reason === reason;

  /** Starts a server of a group of its own behind a service, and registers it; waits for its condition. */
  async function extension(
    reason = 'Passed',
    {
      spec = {},
      expired = false,
      aggregated,
      onlyV2 = false,
    }: { spec?: object; expired?: boolean; aggregated?: string | undefined; onlyV2?: boolean } = {},
  ): Promise<{ server: ExtensionServer; path: string; name: string; service: string }> {
    const service = `ext${count++}`;
    const group = `${service}.example.com`;
    const clientCa = testPki().read('front-ca.crt');
    const server = new ExtensionServer(group, { serverName: `${service}.${NAMESPACE}.svc`, clientCa, expired });
    server.aggregated = aggregated;
    server.onlyV2 = onlyV2;
    servers.push(await server.start());
    const made = await replica.call('POST', `/api/v1/namespaces/${NAMESPACE}/services`, {
      body: { metadata: { name: service }, spec: { type: 'ExternalName', externalName: 'localhost' } },
    });
    assert.equal(made.status, 201, made.text);
    const name = `v1.${group}`;
    const registered = await replica.call('POST', SERVICES, {
      body: {
        metadata: { name },
        spec: {
          group,
          version: 'v1',
          groupPriorityMinimum: 1000,
          versionPriority: 15,
          caBundle: Buffer.from(server.authority.pem).toString('base64'),
          service: { namespace: NAMESPACE, name: service, port: server.port },
          ...spec,
        },
      },
    });
    assert.equal(registered.status, 201, registered.text);
    await until(`${SERVICES}/${name}`, hasReason(reason));
    return { server, path: `/apis/${group}/v1`, name, service };
  }

  it('is listed and asked, by its certificate and under the name of its service', async () => {
    const { path, server } = await extension();
    const group = server.group;
    const { json } = await replica.call('GET', path);
    assert.deepEqual([json.kind, json.groupVersion], ['APIResourceList', `${group}/v1`]);
    assert.equal((await replica.call('GET', `/apis/${group}`)).json.preferredVersion.version, 'v1');
    const { json: listed } = await replica.call('GET', '/apis');
    assert.ok(listed.groups.some(({ name }: { name: string }) => name === group));
    assert.ok((await replica.call('GET', '/')).json.paths.includes(path));
  });

  it('is in the document of all groups, from its own or its list of resources, as old while it is away', async () => {
    const accept = 'application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList';
    for (const itsOwn of [false, true]) {
      const { server, path } = await extension('Passed', { aggregated: itsOwn ? accept : undefined });
      const version = async () => {
        const { json } = await replica.call('GET', '/apis', { headers: { Accept: accept } });
        type Item = {
          metadata: { name: string };
          versions: { freshness: string; resources: { resource: string }[] }[];
        };
        const item = (json.items as Item[]).find(({ metadata }) => metadata.name === server.group);
        return item!.versions[0]!;
      };
      const { freshness, resources } = await version();
      assert.equal(freshness, 'Current');
      assert.deepEqual(
        resources.map(({ resource }) => resource),
        [itsOwn ? 'ownthings' : 'things'],
      );
      await server.stop();
      servers.splice(servers.indexOf(server), 1);
      await replica.call('GET', `${path}/things`);
      while ((await version()).freshness !== 'Stale') await sleep(50);
      assert.deepEqual((await version()).resources, resources);
    }
  });

  it('publishes its document here, under the hash that it has there, and also while it is away', async () => {
    const { server } = await extension();
    const key = `apis/${server.group}/v1`;
    const index = await until('/openapi/v3', ({ text }) => text.includes(key));
    const address: string = JSON.parse(index.text).paths[key].serverRelativeURL;
    assert.equal(address, `/openapi/v3/${key}?hash=ABC`);
    await server.stop();
    servers.splice(servers.indexOf(server), 1);
    const document = await replica.call('GET', address);
    assert.equal(document.status, 200);
    assert.equal(JSON.parse(document.text).info.title, 'things');
    assert.equal(document.headers['etag'], '"ABC"');
    const whole = await until('/openapi/v2', ({ text }) => text.includes(`/${key}/things`));
    const { paths, definitions } = JSON.parse(whole.text);
    assert.deepEqual(paths[`/${key}/things`], { get: { schema: { $ref: '#/definitions/orch.Thing' } } });
    assert.deepEqual(definitions['orch.Thing'], { type: 'object' });
    assert.ok(Object.keys(definitions).length > 100);
    const protobuf = await replica.bytes('/openapi/v2', {
      Accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
    });
    assert.ok(protobuf.includes(`/${key}/things`));
  });

  it('learns the user from the front proxy headers, and sees no credentials', async () => {
    const { path, server } = await extension();
    server.answer = (_request, response) => response.setHeader('Audit-ID', 'its own').end('ok');
    const [, token = ''] = /^(.*?),admin/m.exec(testPki().read('tokens.csv')) ?? [];
    const { status, headers: answered } = await replica.call('GET', `${path}/things?a=%20b#{\\`, {
      token,
      headers: {
        'X-Remote-User': 'root',
        'X-Remote-Group': 'wheel',
        'X-Remote-Uid': '0',
        'X-Remote-Extra-Scopes': 'all',
        'Impersonate-User': 'carla',
        'Impersonate-Group': 'system:masters',
        'Impersonate-Extra-a%2fb': 'c',
        'X-Own': 'kept',
        'Audit-ID': 'mine',
      },
    });
    assert.deepEqual([status, answered['audit-id']], [200, 'mine']);
    const [seen] = server.seen;
    assert.equal(ExtensionServer.clientOf(seen!), 'front-proxy');
    assert.equal(seen!.url, `${path}/things?a=%20b%23%7B%5C`);
    const { headers, headersDistinct } = seen!;
    assert.equal(headers['x-remote-user'], 'carla');
    assert.deepEqual(headersDistinct['x-remote-group'], ['system:masters', 'system:authenticated']);
    assert.equal(headers['x-remote-extra-a%2fb'], 'c');
    assert.deepEqual([headers['x-own'], headers['audit-id']], ['kept', 'mine']);
    for (const name of ['authorization', 'impersonate-user', 'x-remote-uid', 'x-remote-extra-scopes']) {
      assert.equal(headers[name], undefined, name);
    }
  });

  it('streams both ways: what comes is passed on before the rest is there', async () => {
    const { path, server } = await extension();
    server.answer = (request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', Trailer: 'X-Sum' });
      response.flushHeaders();
      request.on('data', (chunk: Buffer) => response.write(chunk.toString().toUpperCase()));
      request.once('end', () => {
        response.addTrailers({ 'X-Sum': '6' });
        response.end();
      });
    };
    const pki = testPki();
    const request = https.request({
      host: '127.0.0.1',
      port: replica.port,
      method: 'POST',
      path: `${path}/namespaces/default/things`,
      ca: pki.read('ca.crt'),
      cert: pki.read('admin.crt'),
      key: pki.read('admin.key'),
      servername: 'localhost',
      agent: false,
    });
    request.write('abc');
    const [response] = await once(request, 'response');
    const [first] = await once(response, 'data');
    assert.equal(String(first), 'ABC');
    request.end('def');
    const [second] = await once(response, 'data');
    assert.equal(String(second), 'DEF');
    await once(response, 'end');
    assert.equal(response.trailers['x-sum'], '6');
  });

  for (const [method, body] of [
    ['POST', '{"a":1}'],
    ['DELETE', '{"kind":"DeleteOptions","apiVersion":"v1"}'],
    ['PUT', ''],
  ] as const) {
    it(`is sent ${body === '' ? 'no body where there is none' : 'bodies of known length'}: ${method}`, async () => {
      const { path, server } = await extension();
      server.answer = (request, response) => {
        const { 'content-length': length = 'none', 'transfer-encoding': encoding = 'none' } = request.headers;
        response.write(`${length} ${encoding} `);
        request.pipe(response);
      };
      const { status, text } = await replica.call(method, `${path}/things/a`, { raw: body });
      assert.equal(status, 200);
      assert.equal(text, `${body.length} none ${body}`);
    });
  }

  it('ends a watch when the client is gone', async () => {
    const { path, server } = await extension();
    const ended = new Promise<void>((resolve) => {
      server.answer = (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.write('{"type":"ADDED","object":{"a":1}}\n');
        response.once('close', resolve);
      };
    });
    let watch: { close(): void } | undefined;
    await new Promise<void>((resolve, reject) => {
      replica
        .watch(`${path}/things?watch=1`, ({ type, object }) => {
          assert.deepEqual([type, object], ['ADDED', { a: 1 }]);
          resolve();
        })
        .then((opened) => {
          watch = opened;
        }, reject);
    });
    while (watch === undefined) await sleep(10);
    watch.close();
    await ended;
  });

  it('may take over a connection', async () => {
    const { path, server } = await extension();
    server.upgrade = (_request, socket: Duplex) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n');
      socket.on('error', () => {});
      socket.pipe(socket);
    };
    const pki = testPki();
    const request = https.request({
      host: '127.0.0.1',
      port: replica.port,
      path: `${path}/things/a/exec`,
      headers: { Connection: 'Upgrade', Upgrade: 'echo' },
      ca: pki.read('ca.crt'),
      cert: pki.read('admin.crt'),
      key: pki.read('admin.key'),
      servername: 'localhost',
      agent: false,
    });
    request.end();
    const [response, socket] = (await once(request, 'upgrade')) as [{ statusCode: number }, Duplex];
    assert.equal(response.statusCode, 101);
    socket.write('hello');
    const [echoed] = await once(socket, 'data');
    assert.equal(String(echoed), 'hello');
    socket.destroy();
  });

  it('cannot send clients elsewhere', async () => {
    const { path, server } = await extension();
    server.answer = (_request, response) =>
      response.writeHead(302, { Location: 'https://elsewhere.example.com/' }).end();
    const { status, text, headers } = await replica.call('GET', `${path}/things`);
    assert.equal(status, 502);
    assert.equal(text, 'the backend attempted to redirect this request, which is not permitted');
    assert.equal(headers['location'], undefined);
  });

  it('is asked over connections that are kept', async () => {
    const { path, server } = await extension();
    server.answer = (_request, response) => response.end('ok');
    for (let i = 0; i < 5; i++) await replica.call('GET', `${path}/things`);
    // one more, where the server was just being asked how it is
    assert.ok(new Set(server.seen.map(({ socket }) => socket)).size <= 2);
  });

  it('is asked again over another connection when it closed the one that was kept', async () => {
    const { path, server } = await extension();
    server.answer = (_request, response) => response.end('ok');
    for (let i = 0; i < 5; i++) {
      assert.equal((await replica.call('GET', `${path}/things`)).status, 200);
      for (const request of server.seen) request.socket.destroy();
    }
  });

  it('that goes away is said to be unavailable, and found again', async () => {
    const { path, server, name } = await extension();
    const { port } = server;
    await server.stop();
    servers.splice(servers.indexOf(server), 1);
    const { status, text, headers } = await replica.call('GET', `${path}/things`);
    assert.equal(status, 503);
    assert.match(text, /^(error trying to reach service: .*|service unavailable)\n$/);
    assert.match(String(headers['content-type']), /^text\/plain/);
    const { json } = await until(`${SERVICES}/${name}`, hasReason('FailedDiscoveryCheck'));
    assert.match(
      json.status.conditions[0].message,
      /^failing or missing response from https:\/\/localhost:.* connection refused$/,
    );
    assert.equal((await replica.call('GET', `${path}/things`)).text, 'service unavailable\n');
    assert.equal((await replica.call('GET', '/readyz')).status, 200);
    // another one of the same name and authority takes its place
    await server.start(port);
    servers.push(server);
    server.answer = (_request, response) => response.end('ok');
    await until(`${SERVICES}/${name}`, hasReason('Passed'));
    assert.equal((await replica.call('GET', `${path}/things`)).status, 200);
  });

  for (const [title, options] of [
    ['with an expired certificate', { expired: true }],
    [
      'with a certificate of an untrusted authority',
      { spec: { caBundle: Buffer.from(testPki().read('ca.crt')).toString('base64') } },
    ],
  ] as const) {
    it(`${title} answers, so that it is available, but gets no requests`, async () => {
      const { path, server } = await extension('Passed', options);
      const { status, text } = await replica.call('GET', `${path}/things`);
      assert.equal(status, 503);
      assert.match(text, /^error trying to reach service: x509: certificate .*\n$/);
      assert.equal(server.seen.length, 0);
    });
  }

  const unreadable: [title: string, authorities: string, why: RegExp][] = [
    ['no PEM', 'x', /there is no certificate in PEM form in it/],
    ['a key', testPki().read('server.key'), /there is no certificate in PEM form in it/],
    [
      'no certificate in its PEM',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      /certificate 1 in it is malformed/,
    ],
  ];
  for (const [title, authorities, why] of unreadable) {
    it(`cannot be registered where its authorities are ${title}`, async () => {
      const caBundle = Buffer.from(authorities).toString('base64');
      const spec = {
        group: 'unreadable.example.com',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        caBundle,
      };
      const service = { namespace: NAMESPACE, name: 'unreadable', port: 443 };
      const { status, json } = await replica.call('POST', SERVICES, {
        body: { metadata: { name: 'v1.unreadable.example.com' }, spec: { ...spec, service } },
      });
      assert.equal(status, 422);
      assert.deepEqual(
        json.details.causes.map(({ field }: { field: string }) => field),
        ['spec.caBundle'],
      );
      assert.match(json.message, why);
    });
  }

  it('is listed, and found to be local, when its service is taken away', async () => {
    const { path, name, server } = await extension();
    await replica.call('PATCH', `${SERVICES}/${name}`, {
      body: { spec: { service: null, caBundle: null } },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    const { json } = await until(`${SERVICES}/${name}`, hasReason('Local'));
    assert.equal(json.status.conditions[0].status, 'True');
    const missing = await replica.call('GET', path);
    assert.deepEqual([missing.status, missing.text], [404, '404 page not found\n']);
    assert.equal((await replica.call('GET', `/apis/${server.group}`)).json.preferredVersion.version, 'v1');
  });

  it('gets the path, and adds to the caching headers of this server', async () => {
    const { path, server } = await extension();
    server.answer = (_request, response) => response.setHeader('Cache-Control', 'max-age=5').end('ok');
    const { headers } = await replica.call('GET', `${path}/a%2Fb?c=d`, { headers: { 'X-Forwarded-Uri': '/evil' } });
    assert.equal(server.seen[0]!.headers['x-forwarded-uri'], `${path}/a%2Fb`);
    assert.equal(headers['cache-control'], 'no-cache, private, max-age=5');
  });

  it('publishes here in the form of v3 what it has only in that of v2', async () => {
    const { server } = await extension('Passed', { onlyV2: true });
    const key = `apis/${server.group}/v1`;
    const index = await until('/openapi/v3', ({ text }) => text.includes(key));
    const address: string = JSON.parse(index.text).paths[key].serverRelativeURL;
    const document = JSON.parse((await replica.call('GET', address)).text);
    assert.deepEqual(document.components.schemas, { 'orch.Thing': { type: 'object' } });
    assert.ok(document.paths[`/${key}/things`].get);
    const accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
    assert.ok((await replica.bytes(address, { Accept: accept })).includes(`/${key}/things`));
  });

  it('may go without verification where that is asked for', async () => {
    const { path, server } = await extension('Passed', { spec: { caBundle: undefined, insecureSkipTLSVerify: true } });
    server.answer = (_request, response) => response.end('ok');
    assert.equal((await replica.call('GET', `${path}/things`)).status, 200);
  });

  it('that hangs costs its own callers until their time is over', async () => {
    const { path, server } = await extension();
    server.answer = () => {};
    // on a busy machine the time may be over before there is a connection
    while (server.seen.length === 0) {
      const { status, json } = await replica.call('GET', `${path}/things?timeout=300ms`);
      assert.deepEqual([status, json.reason], [504, 'Timeout']);
    }
    const [gone] = server.seen;
    if (!gone!.socket.destroyed) await once(gone!.socket, 'close');
  });

  it('learns whom to trust from a config map that comes back', async () => {
    const path = '/api/v1/namespaces/orch-system/configmaps/extension-apiserver-authentication';
    const { json } = await until(path, ({ status }) => status === 200);
    assert.deepEqual(Object.keys(json.data), [
      'client-ca-file',
      'requestheader-allowed-names',
      'requestheader-client-ca-file',
      'requestheader-extra-headers-prefix',
      'requestheader-group-headers',
      'requestheader-username-headers',
    ]);
    assert.equal(json.data['requestheader-allowed-names'], '["front-proxy"]');
    assert.equal((await replica.call('DELETE', path)).status, 200);
    const again = await until(path, ({ status }) => status === 200);
    assert.notEqual(again.json.metadata.uid, json.metadata.uid);
    assert.deepEqual(again.json.data, json.data);
    const role =
      '/apis/rbac.authorization.orch.io/v1/namespaces/orch-system/roles/extension-apiserver-authentication-reader';
    assert.deepEqual((await until(role, ({ status }) => status === 200)).json.rules[0].resourceNames, [
      'extension-apiserver-authentication',
    ]);
  });

  it('is not asked for paths that lead out of the group', async () => {
    const { path, server } = await extension();
    server.answer = (_request, response) => response.end('ok');
    assert.equal((await replica.call('GET', `${path}/things/%2e%2e/%2e%2e/other`)).status, 400);
    assert.equal(server.seen.length, 0);
  });
});
