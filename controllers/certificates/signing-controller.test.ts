import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { makeAuthority } from '#base/x509/make-certificate.ts';
import { makeRequest, type RequestWish } from '#base/x509/testing/make-request.ts';
import { certificatesV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { testPki } from '#server/testing/replica.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { managerFlags, startController } from '../testing/start-controller.ts';
import { approvingController } from './approving-controller.ts';
import { AuthorityFiles } from './authority-files.ts';
import { signingController } from './signing-controller.ts';
import { CLIENT_USAGES, NODE_REQUEST, requestObject, SERVING_USAGES } from './testing/request-object.ts';

const REQUESTS = certificatesV1.certificatesigningrequests;
const HOUR = 3_600_000;
const issued = (server: FakeServer, name: string) => {
  const certificate = server.get(REQUESTS, name)?.status?.certificate;
  return certificate === undefined ? undefined : new X509Certificate(Buffer.from(certificate, 'base64'));
};
const failure = (server: FakeServer, name: string) =>
  server.get(REQUESTS, name)?.status?.conditions?.find(({ type }) => type === 'Failed')?.message;

describe('certificate request signing controller', () => {
  let folder: string;
  const put = (name: string) => {
    const made = makeAuthority(name);
    writeFileSync(path.join(folder, `${name}.crt`), made.pem);
    writeFileSync(path.join(folder, `${name}.key`), made.keyPem);
    return made;
  };
  const pair = (name: string, flag = '') => [
    `--cluster-signing-${flag}cert-file=${path.join(folder, `${name}.crt`)}`,
    `--cluster-signing-${flag}key-file=${path.join(folder, `${name}.key`)}`,
  ];
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'signers-'));
    put('common');
    put('serving');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const dave: RequestWish = {
    subject: [
      ['CN', 'dave'],
      ['O', 'dev'],
    ],
  };
  const node = (...names: NonNullable<RequestWish['names']>): RequestWish => ({ ...NODE_REQUEST, names });
  const serving = { spec: { usages: SERVING_USAGES } };

  for (const naming of namingProfiles.map(createNaming))
    it(`applies the rules of each signer (${naming.profile})`, async () => {
      const server = new FakeServer([REQUESTS], { strict: true, naming });
      const add = (name: string, signer: string, wish: RequestWish, more = {}) =>
        server.put(REQUESTS, requestObject(name, signer, wish, more));
      const [client, nodeClient, nodeServing, legacy] = [
        'apiserver-client',
        'apiserver-client-kubelet',
        'kubelet-serving',
        'legacy-unknown',
      ].map((signer) => naming.key(signer));
      add('client', client!, dave);
      add('client-any', client!, dave, { spec: { usages: ['any', 'client auth'] } });
      add('client-none', client!, dave, { spec: { usages: ['digital signature'] } });
      add('node', nodeClient!, NODE_REQUEST);
      add('node-ec', nodeClient!, NODE_REQUEST, { spec: { usages: ['client auth', 'digital signature'] } });
      add('node-dave', nodeClient!, dave);
      add('node-named', nodeClient!, node(['dns', 'x']));
      add('serving', nodeServing!, node(['dns', 'n1'], ['ip', '\x0a\x01\x02\x03']), serving);
      add('serving-bare', nodeServing!, NODE_REQUEST, serving);
      add('serving-mail', nodeServing!, node(['dns', 'n1'], ['email', 'a@b.c']), serving);
      add('serving-usages', nodeServing!, node(['dns', 'n1']));
      add('legacy', legacy!, dave, { spec: { usages: ['code signing', 'cert sign'] } });
      add('garbage', legacy!, dave, { spec: { request: Buffer.from('x').toString('base64') } });
      add('other', 'example.com/mine', dave);
      add('pending', client!, dave, { conditions: [] });
      add('denied', client!, dave, { conditions: ['Denied'] });
      add('failed', client!, dave, { conditions: ['Approved', 'Failed'] });
      const flags = managerFlags(
        `--naming=${naming.profile}`,
        ...pair('common'),
        ...pair('serving', 'kubelet-serving-'),
      );
      const controller = await startController(signingController, server, { flags });
      await waitUntil('all are decided', () => server.writes.length === 13);
      await controller.stop();
      const { subject, issuer, keyUsage, ca } = issued(server, 'client')!;
      assert.deepEqual([subject, issuer, keyUsage, ca], ['O=dev\nCN=dave', 'CN=common', ['1.3.6.1.5.5.7.3.2'], false]);
      assert.equal(issued(server, 'serving')?.issuer, 'CN=serving');
      assert.equal(issued(server, 'serving')?.subjectAltName, 'DNS:n1, IP Address:10.1.2.3');
      assert.ok(issued(server, 'node') && issued(server, 'node-ec') && issued(server, 'legacy'));
      const why = {
        'client-any': 'invalid usage for client certificate: any',
        'client-none': 'missing required usage for client certificate: client auth',
        'node-dave': 'subject organization is not system:nodes',
        'node-named': 'DNS subjectAltNames are not allowed',
        'serving-bare': 'DNS or IP subjectAltName is required',
        'serving-mail': 'Email subjectAltNames are not allowed',
        'serving-usages': 'usages did not match [digital signature key encipherment server auth]',
        garbage: 'the request cannot be read: PEM block type must be CERTIFICATE REQUEST',
      };
      for (const [name, message] of Object.entries(why)) assert.equal(failure(server, name), message, name);
      for (const name of ['other', 'pending', 'denied', 'failed']) assert.equal(issued(server, name), undefined, name);
    });

  it('limits the lifetime by the request, the flags and the lifetime of the CA', async () => {
    const server = new FakeServer([REQUESTS], { strict: true });
    const wishes: Record<string, number | undefined> = { unsaid: undefined, short: 3600, tiny: 60, long: 100_000_000 };
    for (const [name, expirationSeconds] of Object.entries(wishes))
      server.put(
        REQUESTS,
        requestObject(name, 'orch.io/apiserver-client', dave, {
          spec: expirationSeconds === undefined ? {} : { expirationSeconds },
        }),
      );
    const flags = managerFlags(...pair('common'), '--cluster-signing-duration=240h');
    const now = Math.floor(Date.now() / 1000) * 1000;
    const controller = await startController(signingController, server, { flags, now: () => now });
    await waitUntil('all are signed', () => server.writes.length === 4);
    await controller.stop();
    const life = (name: string) => {
      const { validFrom, validTo } = issued(server, name)!;
      assert.equal(Date.parse(validFrom), now - 300_000);
      return Date.parse(validTo) - now;
    };
    assert.deepEqual(Object.keys(wishes).map(life), [240 * HOUR - 300_000, HOUR, 600_000, 240 * HOUR - 300_000]);
    const long = managerFlags(...pair('common'));
    const other = new FakeServer([REQUESTS], { strict: true });
    other.put(REQUESTS, requestObject('year', 'orch.io/apiserver-client', dave));
    const again = await startController(signingController, other, { flags: long });
    await waitUntil('it is signed', () => issued(other, 'year'));
    await again.stop();
    const authority = new AuthorityFiles(path.join(folder, 'common.crt'), path.join(folder, 'common.key')).get();
    assert.equal(issued(other, 'year')?.validTo, authority.certificate.validTo);
    assert.ok(issued(other, 'year')?.verify(authority.certificate.publicKey));
  });

  it('reloads the CA files, and keeps the old pair while certificate and key do not match', () => {
    put('moving');
    let now = 0;
    const files = new AuthorityFiles(path.join(folder, 'moving.crt'), path.join(folder, 'moving.key'), () => now);
    const first = files.get().certificate.fingerprint256;
    const next = makeAuthority('next');
    writeFileSync(path.join(folder, 'moving.crt'), next.pem);
    now += 10_000;
    assert.equal(files.get().certificate.fingerprint256, first);
    writeFileSync(path.join(folder, 'moving.key'), next.keyPem);
    now += 10_000;
    assert.equal(files.get().certificate.subject, 'CN=next');
  });

  it('is unavailable without the flags of the CA files', () => {
    assert.match(signingController.unavailable?.(managerFlags()) ?? '', /--cluster-signing-cert-file/);
    assert.equal(signingController.unavailable?.(managerFlags(...pair('common', 'legacy-unknown-'))), undefined);
  });
});

describe('certificate request controllers, with an API server', () => {
  const running = aroundManager(
    [approvingController, signingController],
    '--use-service-account-credentials',
    `--cluster-signing-cert-file=${testPki().file('ca.crt')}`,
    `--cluster-signing-key-file=${testPki().file('ca.key')}`,
  );

  it('approve and sign the certificate of a node, and sign a request that a user approves', async () => {
    const { client } = running;
    const requests = client.resource(REQUESTS);
    const request = (name: string, signerName: string, wish: RequestWish) => ({
      metadata: { name },
      spec: { request: makeRequest(wish), signerName, usages: CLIENT_USAGES },
    });
    // The administrator has all permissions, so its request for a node's certificate needs no other approval.
    await requests.create(request('node', 'orch.io/apiserver-client-kubelet', NODE_REQUEST));
    const certificate = async (name: string) => (await requests.get(name)).status?.certificate;
    await waitUntil('it is signed', () => certificate('node'));
    const { status } = await requests.get('node');
    assert.equal(status?.conditions?.[0]?.reason, 'AutoApproved');
    await requests.create(request('dave', 'orch.io/apiserver-client', { subject: [['CN', 'dave']] }));
    const approval = { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'ByHand' }] } };
    await requests.patch('dave', 'merge', approval, { subresource: 'approval' });
    await waitUntil('it is signed', () => certificate('dave'));
    const made = new X509Certificate(Buffer.from((await certificate('dave'))!, 'base64'));
    assert.ok(made.verify(new X509Certificate(testPki().read('ca.crt')).publicKey));
  });
});
