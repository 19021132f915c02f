import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CN, makeCertificate } from '#base/x509/make-certificate.ts';
import { FrontProxyIdentity } from './front-proxy-identity.ts';

describe('FrontProxyIdentity', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'front-proxy-'));
  const certFile = path.join(folder, 'cert');
  const keyFile = path.join(folder, 'key');
  const files = { certFile, keyFile, flags: { cert: '--cert', key: '--key' } };
  const make = (name: string) => makeCertificate({ subject: [[CN, name]] });
  after(() => rmSync(folder, { recursive: true }));

  it('refuses a certificate that does not match its key', () => {
    writeFileSync(certFile, make('a').pem);
    writeFileSync(keyFile, make('b').keyPem);
    assert.throws(() => new FrontProxyIdentity(files), /is not the key of the certificate/);
  });

  it('reloads the certificate only after both files have changed', () => {
    let now = 0;
    const [one, other] = [make('one'), make('other, with a longer name')];
    writeFileSync(certFile, one.pem);
    writeFileSync(keyFile, one.keyPem);
    const identity = new FrontProxyIdentity(files, () => now);
    const before = identity.value;
    assert.equal(before.cert.toString(), one.pem);
    writeFileSync(certFile, other.pem);
    now += 10_000;
    assert.equal(identity.value, before);
    writeFileSync(keyFile, `${other.keyPem}\n`);
    now += 10_000;
    assert.equal(identity.value.cert.toString(), other.pem);
    assert.equal(identity.value, identity.value);
  });
});
