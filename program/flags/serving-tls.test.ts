import assert from 'node:assert/strict';
import { createSecureContext } from 'node:tls';
import { readServingTls } from './serving-tls.ts';

const TLS13 = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256';

describe('TLS flags', () => {
  it('set the minimum TLS version', () => {
    assert.equal(readServingTls('', []).minVersion, 'TLSv1.2');
    assert.equal(readServingTls('VersionTLS12', []).minVersion, 'TLSv1.2');
    assert.equal(readServingTls('VersionTLS13', []).minVersion, 'TLSv1.3');
    for (const version of ['VersionTLS11', 'TLSv1.2', 'constructor'])
      assert.throws(() => readServingTls(version, []), /--tls-min-version/);
  });

  const suites: readonly [name: string, ciphers: string][] = [
    ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', `${TLS13}:ECDHE-RSA-AES128-GCM-SHA256`],
    ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', `${TLS13}:ECDHE-ECDSA-AES256-GCM-SHA384`],
    ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', `${TLS13}:ECDHE-RSA-CHACHA20-POLY1305`],
    ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', `${TLS13}:ECDHE-ECDSA-CHACHA20-POLY1305`],
    ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', `${TLS13}:ECDHE-RSA-AES128-SHA`],
    ['TLS_RSA_WITH_AES_256_GCM_SHA384', `${TLS13}:AES256-GCM-SHA384`],
    ['TLS_AES_128_GCM_SHA256', TLS13],
  ];
  for (const [name, ciphers] of suites) {
    it(`translate the cipher suite ${name} for Node`, () => {
      assert.equal(readServingTls('', [name]).ciphers, ciphers);
      assert.doesNotThrow(() => createSecureContext({ ciphers }));
    });
  }

  it('use the default cipher suites of Node if none is given', () =>
    assert.equal(readServingTls('', []).ciphers, undefined));

  it('refuse unknown cipher suites', () => {
    for (const name of ['TLS_RSA_WITH_RC4_128_SHA', 'ECDHE-RSA-AES128-GCM-SHA256', 'ALL:!X', ''])
      assert.throws(() => readServingTls('', [name]), { name: 'ConfigError', message: /--tls-cipher-suites/ }, name);
  });
});
