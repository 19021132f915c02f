import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type CertificateWish,
  CLIENT_AUTH,
  CN,
  makeAuthority,
  makeCertificate,
  O,
  SERVER_AUTH,
} from '#base/x509/make-certificate.ts';
import { ensureOwnCertificate, type OwnCertificate } from './serving-certificate.ts';

describe('the self-signed serving certificate', () => {
  let folder: string;
  let wish: OwnCertificate;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'own-certificate-'));
    wish = {
      certFile: path.join(folder, 'made', 'apiserver.crt'),
      keyFile: path.join(folder, 'made', 'apiserver.key'),
      names: ['localhost', 'own'],
      hosts: ['api.example'],
      ips: ['127.0.0.1', '2001:db8::1'],
    };
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('contains all names and addresses, and has a key that only its owner can read', () => {
    ensureOwnCertificate(wish);
    const certificate = new X509Certificate(readFileSync(wish.certFile));
    assert.equal(
      certificate.subjectAltName,
      'DNS:localhost, DNS:own, DNS:api.example, IP Address:127.0.0.1, IP Address:2001:DB8:0:0:0:0:0:1',
    );
    assert.ok(certificate.verify(certificate.publicKey));
    assert.ok(certificate.checkPrivateKey(createPrivateKey(readFileSync(wish.keyFile))));
    assert.equal(statSync(wish.keyFile).mode & 0o777, 0o600);
    const days = (Date.parse(certificate.validTo) - Date.now()) / 86_400_000;
    assert.ok(days > 364 && days <= 365);
  });

  it('is kept until it expires soon', () => {
    ensureOwnCertificate(wish);
    const made = readFileSync(wish.certFile, 'utf8');
    assert.match(ensureOwnCertificate({ ...wish, hosts: ['other.example'] })!, /signs itself/);
    assert.equal(readFileSync(wish.certFile, 'utf8'), made);
    const old = put({ ...own, to: 20 });
    assert.match(ensureOwnCertificate(wish)!, /signs itself/);
    assert.notEqual(readFileSync(wish.certFile, 'utf8'), old);
  });

  const authority = makeAuthority('an installer');
  const own: CertificateWish = {
    subject: [[CN, 'machine']],
    usages: [SERVER_AUTH],
    hosts: ['localhost', 'own', 'old'],
  };
  const put = (certificate: CertificateWish): string => {
    const { pem, keyPem } = makeCertificate(certificate);
    mkdirSync(path.dirname(wish.certFile), { recursive: true });
    writeFileSync(wish.certFile, pem);
    writeFileSync(wish.keyFile, keyPem);
    return pem;
  };
  const others: [what: string, certificate: CertificateWish, warning: RegExp][] = [
    ['is valid for long', { ...own, by: authority, to: 60 }, /^undefined$/],
    ['expires soon', { ...own, by: authority, to: 7 }, /apiserver\.crt, which the server did not make, ends at /],
    ['has expired', { ...own, by: authority, from: -2, to: -1 }, /which the server did not make, ends at /],
    ['is self-signed with other names', { ...own, hosts: ['localhost', 'other'], to: 7 }, /did not make/],
    [
      'is self-signed with another subject',
      {
        ...own,
        subject: [
          [O, 'x'],
          [CN, 'y'],
        ],
        to: 7,
      },
      /did not make/,
    ],
    ['is self-signed for clients as well', { ...own, usages: [SERVER_AUTH, CLIENT_AUTH], to: 7 }, /did not make/],
  ];
  for (const [what, certificate, warning] of others)
    it(`does not replace a certificate of an operator that ${what}`, () => {
      const there = put(certificate);
      assert.match(String(ensureOwnCertificate(wish)), warning);
      assert.equal(readFileSync(wish.certFile, 'utf8'), there);
    });

  it('is not created if only one file exists or the folder cannot be created', () => {
    ensureOwnCertificate(wish);
    rmSync(wish.keyFile);
    assert.throws(() => ensureOwnCertificate(wish), { name: 'ConfigError', message: /only one of them is there/ });
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    chmodSync(file, 0o400);
    const nowhere = { ...wish, certFile: path.join(file, 'a.crt'), keyFile: path.join(file, 'a.key') };
    assert.throws(() => ensureOwnCertificate(nowhere), { name: 'ConfigError', message: /--cert-dir/ });
  });
});
