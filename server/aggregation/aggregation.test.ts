import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testPki } from '../testing/replica.ts';
import { Extensions, FRONT_PROXY, hasReason, SERVICES } from './testing/extensions.ts';

describe('an extension server', () => {
  let replica: TestReplica;
  let extensions: Extensions;

  aroundAll(
    (started) => {
      replica = started;
      extensions = new Extensions(started);
    },
    ...FRONT_PROXY,
  );

  after(() => extensions?.stop());

  it('is listed in discovery and called, with its certificate and the name of its service', async () => {
    const { path, server } = await extensions.start();
    const group = server.group;
    const { json } = await replica.call('GET', path);
    assert.deepEqual([json.kind, json.groupVersion], ['APIResourceList', `${group}/v1`]);
    assert.equal((await replica.call('GET', `/apis/${group}`)).json.preferredVersion.version, 'v1');
    const { json: listed } = await replica.call('GET', '/apis');
    assert.ok(listed.groups.some(({ name }: { name: string }) => name === group));
    assert.ok((await replica.call('GET', '/')).json.paths.includes(path));
  });

  it('is in aggregated discovery, with or without its own document, and is Stale while it is unreachable', async () => {
    const accept = 'application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList';
    for (const itsOwn of [false, true]) {
      const { server, path } = await extensions.start('Passed', { aggregated: itsOwn ? accept : undefined });
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
      await replica.call('GET', `${path}/things`);
      while ((await version()).freshness !== 'Stale') await sleep(50);
      assert.deepEqual((await version()).resources, resources);
    }
  });

  it('publishes its OpenAPI document under its own hash, even while it is unreachable', async () => {
    const { server } = await extensions.start();
    const key = `apis/${server.group}/v1`;
    const index = await extensions.until('/openapi/v3', ({ text }) => text.includes(key));
    const address: string = JSON.parse(index.text).paths[key].serverRelativeURL;
    assert.equal(address, `/openapi/v3/${key}?hash=ABC`);
    await server.stop();
    const document = await replica.call('GET', address);
    assert.equal(document.status, 200);
    assert.equal(JSON.parse(document.text).info.title, 'things');
    assert.equal(document.headers['etag'], '"ABC"');
    const whole = await extensions.until('/openapi/v2', ({ text }) => text.includes(`/${key}/things`));
    const { paths, definitions } = JSON.parse(whole.text);
    assert.deepEqual(paths[`/${key}/things`], { get: { schema: { $ref: '#/definitions/orch.Thing' } } });
    assert.deepEqual(definitions['orch.Thing'], { type: 'object' });
    assert.ok(Object.keys(definitions).length > 100);
    const protobuf = await replica.bytes('/openapi/v2', {
      Accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
    });
    assert.ok(protobuf.includes(`/${key}/things`));
  });

  it('that stops is reported as unavailable', async () => {
    const { path, server, name } = await extensions.start();
    const { port } = server;
    await server.stop();
    const { status, text, headers } = await replica.call('GET', `${path}/things`);
    assert.equal(status, 503);
    assert.match(text, /^(error trying to reach service: .*|service unavailable)\n$/);
    assert.match(String(headers['content-type']), /^text\/plain/);
    const { json } = await extensions.until(`${SERVICES}/${name}`, hasReason('FailedDiscoveryCheck'));
    assert.match(
      json.status.conditions[0].message,
      /^failing or missing response from https:\/\/localhost:.* connection refused$/,
    );
    assert.equal((await replica.call('GET', `${path}/things`)).text, 'service unavailable\n');
    assert.equal((await replica.call('GET', '/readyz')).status, 200);
    // Another server with the same name and authority replaces it.
    await server.start(port);
    server.answer = (_request, response) => response.end('ok');
    await extensions.until(`${SERVICES}/${name}`, hasReason('Passed'));
    assert.equal((await replica.call('GET', `${path}/things`)).status, 200);
  });

  for (const [title, options] of [
    ['with an expired certificate', { expired: true }],
    [
      'with a certificate of an untrusted authority',
      { spec: { caBundle: Buffer.from(testPki().read('ca.crt')).toString('base64') } },
    ],
  ] as const) {
    it(`${title} is reported as available, but gets no requests`, async () => {
      const { path, server } = await extensions.start('Passed', options);
      const { status, text } = await replica.call('GET', `${path}/things`);
      assert.equal(status, 503);
      assert.match(text, /^error trying to reach service: x509: certificate .*\n$/);
      assert.equal(server.seen.length, 0);
    });
  }

  const unreadable: [title: string, authorities: string, why: RegExp][] = [
    ['text that is not PEM', 'x', /unable to parse bytes as PEM block/],
    ['a key', testPki().read('server.key'), /no valid certificate authority data seen/],
    [
      'no certificate in its PEM',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      /failed to parse certificate/,
    ],
  ];
  for (const [title, authorities, why] of unreadable) {
    it(`is registered if its CA bundle is ${title}, but its requests get 500 with the reason`, async () => {
      const { path, server } = await extensions.start('Passed', {
        spec: { caBundle: Buffer.from(authorities).toString('base64') },
      });
      const { status, text } = await replica.call('GET', `${path}/things`);
      assert.equal(status, 500);
      assert.match(text, why);
      assert.equal(server.seen.length, 0);
    });
  }

  it('is reported as Local after its service is removed from the APIService', async () => {
    const { path, name, server } = await extensions.start();
    await replica.call('PATCH', `${SERVICES}/${name}`, {
      body: { spec: { service: null, caBundle: null } },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    const { json } = await extensions.until(`${SERVICES}/${name}`, hasReason('Local'));
    assert.equal(json.status.conditions[0].status, 'True');
    const missing = await replica.call('GET', path);
    assert.deepEqual([missing.status, missing.text], [404, '404 page not found\n']);
    assert.equal((await replica.call('GET', `/apis/${server.group}`)).json.preferredVersion.version, 'v1');
  });

  it('that has only an OpenAPI v2 document is published as v3 as well', async () => {
    const { server } = await extensions.start('Passed', { onlyV2: true });
    const key = `apis/${server.group}/v1`;
    const index = await extensions.until('/openapi/v3', ({ text }) => text.includes(key));
    const address: string = JSON.parse(index.text).paths[key].serverRelativeURL;
    const document = JSON.parse((await replica.call('GET', address)).text);
    assert.deepEqual(document.components.schemas, { 'orch.Thing': { type: 'object' } });
    assert.ok(document.paths[`/${key}/things`].get);
    const accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
    assert.ok((await replica.bytes(address, { Accept: accept })).includes(`/${key}/things`));
  });

  it('is called without verification if insecureSkipTLSVerify is set', async () => {
    const { path, server } = await extensions.start('Passed', {
      spec: { caBundle: undefined, insecureSkipTLSVerify: true },
    });
    server.answer = (_request, response) => response.end('ok');
    assert.equal((await replica.call('GET', `${path}/things`)).status, 200);
  });

  it('can read the trusted clients from a config map, which is restored after deletion', async () => {
    const path = '/api/v1/namespaces/orch-system/configmaps/extension-apiserver-authentication';
    const { json } = await extensions.until(path, ({ status }) => status === 200);
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
    const again = await extensions.until(path, ({ status }) => status === 200);
    assert.notEqual(again.json.metadata.uid, json.metadata.uid);
    assert.deepEqual(again.json.data, json.data);
    const role =
      '/apis/rbac.authorization.orch.io/v1/namespaces/orch-system/roles/extension-apiserver-authentication-reader';
    assert.deepEqual((await extensions.until(role, ({ status }) => status === 200)).json.rules[0].resourceNames, [
      'extension-apiserver-authentication',
    ]);
  });
});
