import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '#base/errors/config-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { ensureCertificates } from './certificates.ts';

describe('the certificates of a cluster in one process', () => {
  const naming = createNaming('orch');
  const pairs = ['server', 'admin', 'controller-manager', 'scheduler'];
  let folder: string;
  const text = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const spoil = (name: string) => writeFileSync(path.join(folder, name), 'junk');
  const remove = (name: string) => rmSync(path.join(folder, name));

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'certificates-'));
    ensureCertificates(folder, naming);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('stay at the next start', () => {
    const before = pairs.map((name) => text(`${name}.crt`));
    ensureCertificates(folder, naming);
    assert.deepEqual(
      pairs.map((name) => text(`${name}.crt`)),
      before,
    );
  });

  for (const name of ['server.crt', 'server.key', 'admin.crt', 'admin.key', 'controller-manager.crt', 'scheduler.key'])
    for (const harm of [spoil, remove])
      it(`have a new pair if ${name} is ${harm === spoil ? 'damaged' : 'missing'}, of the same authority`, () => {
        const [authority, token] = [text('ca.crt'), text('sa.key')];
        harm(name);
        ensureCertificates(folder, naming);
        assert.deepEqual([text('ca.crt'), text('sa.key')], [authority, token]);
        for (const each of pairs) {
          const certificate = new X509Certificate(text(`${each}.crt`));
          assert.ok(certificate.verify(new X509Certificate(authority).publicKey), each);
          assert.ok(certificate.checkPrivateKey(createPrivateKey(text(`${each}.key`))), each);
        }
      });

  for (const name of ['ca.crt', 'ca.key', 'sa.key', 'sa.pub'])
    for (const harm of [spoil, remove])
      it(`are refused, with what to do, if ${name} is ${harm === spoil ? 'damaged' : 'missing'}`, () => {
        harm(name);
        assert.throws(
          () => ensureCertificates(folder, naming),
          (error: Error) => {
            assert.ok(error instanceof ConfigError);
            const why = harm === spoil ? 'cannot be read' : 'is missing';
            assert.equal(
              error.message.indexOf(`${path.join(folder, name)} ${why}: put it back, or remove ${folder}`),
              0,
            );
            return true;
          },
        );
      });
});
