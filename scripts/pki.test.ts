import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { makePki } from './pki.ts';

describe('makePki', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'pki-test-'));
  after(() => rmSync(directory, { recursive: true }));

  it('writes an administrator key in the PKCS#1 format and keeps it', () => {
    const pki = makePki(directory, createNaming('orch'));
    const key = pki.read('admin.key');
    assert.match(key, /^-----BEGIN RSA PRIVATE KEY-----/);
    assert.ok(new X509Certificate(pki.read('admin.crt')).checkPrivateKey(createPrivateKey(key)));
    assert.equal(makePki(directory, createNaming('orch')).read('admin.key'), key);
  });
});
