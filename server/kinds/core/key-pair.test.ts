import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import { KindTester } from '../testing/kind-tester.ts';
import { keyPairProblem } from './key-pair.ts';
import { secret } from './secret.ts';

const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const block = (label: string) => `-----BEGIN ${label}-----\ne30=\n-----END ${label}-----\n`;

describe('a certificate and its key', () => {
  const rows: readonly (readonly [certificate: string, key: string, problem: string])[] = [
    ['', '', 'tls: failed to find any PEM data in certificate input'],
    [
      block('X'),
      key,
      'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [X]',
    ],
    [
      key,
      key,
      'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
    ],
    [block('CERTIFICATE'), 'x', 'tls: failed to find any PEM data in key input'],
    [
      block('CERTIFICATE'),
      block('CERTIFICATE'),
      'tls: found a certificate rather than a key in the PEM for the private key',
    ],
    [block('CERTIFICATE'), key, 'x509: malformed certificate'],
  ];
  for (const [certificate, privateKey, problem] of rows)
    it(problem, () => assert.equal(keyPairProblem(certificate, privateKey), problem));

  const releases: readonly (readonly [release: ReleaseName, warnings: number])[] = [
    ['1.28', 0],
    ['1.29', 1],
  ];
  for (const [release, warnings] of releases)
    it(`brings ${warnings} warnings in ${release}`, () => {
      const tester = new KindTester(secret, 'core.v1', 'Secret', {}, releaseOf(release));
      const data = { 'tls.crt': 'e30=', 'tls.key': 'e30=' };
      const object = { type: tester.context.naming.key('tls'), data };
      assert.equal(tester.warnings(object).length, warnings);
    });
});
