import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readTokenKeys } from '#base/x509/token-keys.ts';
import { verifyingKeys } from './verifying-keys.ts';

describe('verifyingKeys for service account tokens', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'verifying-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = (name: string) => path.join(folder, name);
  const store = (name: string, { privateKey }: { readonly privateKey: KeyObject }) =>
    writeFileSync(file(name), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  for (const name of ['given', 'tls', 'sign']) store(name, generateKeyPairSync('ec', { namedCurve: 'prime256v1' }));
  store('tls-only', generateKeyPairSync('ed25519'));
  const names = new Map(['given', 'tls', 'sign'].map((name) => [readTokenKeys([file(name)])[0]!.id, name]));

  // The files of --service-account-key-file, of TLS, and of --service-account-signing-key-file.
  const cases: readonly [keys: string[], tls: string | undefined, sign: string | undefined, found: string[]][] = [
    [['given'], 'tls', 'sign', ['given']],
    [['given'], 'tls', undefined, ['given']],
    [[], 'tls', undefined, ['tls']],
    [[], 'tls', 'sign', ['sign', 'tls']],
    [[], 'tls', 'tls', ['tls']],
    [[], 'tls-only', 'sign', ['sign']],
    [[], undefined, 'sign', ['sign']],
    [[], undefined, undefined, []],
  ];
  for (const [keys, tls, sign, found] of cases)
    it(`are ${found} for ${JSON.stringify({ keys, tls, sign })}`, () => {
      const settings = {
        issuers: ['https://a'],
        keyFiles: keys.map(file),
        tlsKeyFile: tls && file(tls),
        signingKeyFile: sign && file(sign),
      };
      assert.deepEqual(
        verifyingKeys(settings).map(({ id }) => names.get(id)),
        found,
      );
      assert.deepEqual(verifyingKeys({ ...settings, issuers: [] }), []);
    });

  it('are an error if the only key cannot verify tokens', () => {
    const settings = { issuers: ['https://a'], keyFiles: [], tlsKeyFile: file('tls-only'), signingKeyFile: undefined };
    assert.throws(() => verifyingKeys(settings), /RSA or ECDSA/);
  });
});
