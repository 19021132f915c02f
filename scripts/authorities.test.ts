import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { Authority, authorityNames } from './authorities.ts';
import { type Deployment, makeDeploymentPki, readDeployment } from './deployment-pki.ts';

describe('rotation of a certificate authority', function () {
  this.timeout(60_000);
  const directory = mkdtempSync(path.join(tmpdir(), 'authorities-'));
  const deployment: Deployment = {
    naming: createNaming('orch'),
    members: ['etcd1'],
    serverNames: ['api.example'],
    url: 'https://api.example:6443',
    owner: undefined,
  };
  const read = (name: string) => readFileSync(path.join(directory, name), 'utf8');
  const bundle = (name: string) =>
    (read(name).match(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----/g) ?? []).map((pem) => new X509Certificate(pem));
  const subjects = (name: string) => bundle(name).map(({ subject }) => subject);

  after(() => rmSync(directory, { recursive: true }));

  const users = { ca: 'apiserver/server', 'etcd-ca': 'etcd1/peer', 'front-ca': undefined, 'signing-ca': undefined };

  for (const name of authorityNames) {
    it(`replaces ${name} step by step`, () => {
      makeDeploymentPki(directory, deployment);
      const again = () => makeDeploymentPki(directory, readDeployment(directory)).certificates;
      const authority = new Authority(directory, name);
      const trusted = `${name === 'etcd-ca' ? 'etcd1' : 'apiserver'}/${name}.crt`;
      const [former] = subjects(trusted);
      const user = users[name];
      const signer = () => user && new X509Certificate(read(`${user}.crt`)).issuer;
      assert.equal(authority.phase, 'settled');

      authority.begin();
      assert.deepEqual(again(), [], 'nothing is signed again');
      assert.equal(authority.phase, 'trusted');
      const [first, next] = subjects(trusted);
      assert.equal(first, former, 'who signs stands first');
      assert.match(next ?? '', new RegExp(`^CN=${name}-\\d{14}$`));
      assert.equal(signer(), user && former);

      authority.change();
      const made = again();
      assert.equal(authority.phase, 'signed');
      assert.deepEqual(subjects(trusted), [next, former]);
      assert.equal(signer(), user && next);
      if (user !== undefined) assert.ok(made.includes(user));
      assert.deepEqual(again(), [], 'once');

      authority.end();
      assert.deepEqual(again(), []);
      assert.equal(authority.phase, 'settled');
      assert.deepEqual(subjects(trusted), [next]);
      authority.forget();
      const left = readdirSync(path.join(directory, 'authorities')).filter((file) => file.startsWith(`${name}.`));
      assert.deepEqual(left.sort(), [`${name}.crt`, `${name}.key`]);
    });
  }

  it('signs requests with one signing CA, and trusts the clients of both', () => {
    const authority = new Authority(directory, 'signing-ca');
    const again = () => makeDeploymentPki(directory, readDeployment(directory)).certificates;
    const [former] = subjects('apiserver/signing-ca.crt');
    assert.deepEqual(subjects('controller-manager/signer.crt'), [former]);
    assert.deepEqual(subjects('apiserver/client-ca.crt'), [...subjects('apiserver/ca.crt'), former]);
    authority.begin();
    again();
    const [, next] = subjects('apiserver/signing-ca.crt');
    assert.deepEqual(subjects('controller-manager/signer.crt'), [former]);
    assert.deepEqual(subjects('apiserver/client-ca.crt'), [...subjects('apiserver/ca.crt'), former, next]);
    authority.change();
    again();
    assert.deepEqual(subjects('controller-manager/signer.crt'), [next]);
    const signer = new X509Certificate(read('controller-manager/signer.crt'));
    assert.ok(signer.checkPrivateKey(createPrivateKey(read('controller-manager/signer.key'))));
    authority.end();
    again();
    authority.forget();
    assert.deepEqual(subjects('apiserver/client-ca.crt'), [...subjects('apiserver/ca.crt'), next]);
  });

  it('leaves no unfinished files', () => {
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      files.filter((file) => file.endsWith('.new')),
      [],
    );
  });
});
