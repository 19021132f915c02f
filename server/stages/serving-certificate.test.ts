import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CN, makeCertificate } from '../x509/make-certificate.ts';
import { ensureOwnCertificate, type OwnCertificate } from './serving-certificate.ts';

describe('a certificate of the server itself', () => {
  let folder: string;
  let wish: OwnCertificate;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'own-certificate-'));
    wish = {
      certFile: path.join(folder, 'made', 'apiserver.crt'),
      keyFile: path.join(folder, 'made', 'apiserver.key'),
      hosts: ['localhost', 'api.example'],
      ips: ['127.0.0.1', '2001:db8::1'],
    };
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('is made for all names and addresses, with a key that only its owner can read', () => {
    ensureOwnCertificate(wish);
    const certificate = new X509Certificate(readFileSync(wish.certFile));
    assert.equal(
      certificate.subjectAltName,
      'DNS:localhost, DNS:api.example, IP Address:127.0.0.1, IP Address:2001:DB8:0:0:0:0:0:1',
    );
    assert.ok(certificate.verify(certificate.publicKey));
    assert.ok(certificate.checkPrivateKey(createPrivateKey(readFileSync(wish.keyFile))));
    assert.equal(statSync(wish.keyFile).mode & 0o777, 0o600);
    const days = (Date.parse(certificate.validTo) - Date.now()) / 86_400_000;
    assert.ok(days > 364 && days <= 365);
  });

  it('is kept as long as it lasts', () => {
    ensureOwnCertificate(wish);
    const made = readFileSync(wish.certFile, 'utf8');
    ensureOwnCertificate({ ...wish, hosts: ['other.example'] });
    assert.equal(readFileSync(wish.certFile, 'utf8'), made);
    const old = makeCertificate({ subject: [[CN, 'old']], to: 20 });
    writeFileSync(wish.certFile, old.pem);
    writeFileSync(wish.keyFile, old.keyPem);
    ensureOwnCertificate(wish);
    assert.ok(!readFileSync(wish.certFile, 'utf8').includes(old.pem));
  });

  it('is not made where something is in the way', () => {
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
