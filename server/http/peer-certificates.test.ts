import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { peerCertificates } from './peer-certificates.ts';

/**
 * A connection with a client certificate chain. Each certificate is signed by the next one, and the last one by itself.
 */
function connectionOf(...certificates: string[]): Socket {
  const [first] = certificates.reduceRight<object[]>((issuers, text) => {
    const certificate: Record<string, unknown> = { raw: Buffer.from(text) };
    certificate['issuerCertificate'] = issuers[0] ?? certificate;
    return [certificate];
  }, []);
  return { getPeerCertificate: () => first ?? {} } as unknown as Socket;
}

describe('peerCertificates', () => {
  const cases: [shown: string[], chain: string[]][] = [
    [[], []],
    [['leaf'], ['leaf']],
    [
      ['leaf', 'root'],
      ['leaf', 'root'],
    ],
    [Array.from({ length: 20 }, (_, n) => String(n)), Array.from({ length: 11 }, (_, n) => String(n))],
  ];
  for (const [shown, chain] of cases) {
    it(`returns the chain of ${shown.length} certificates, and the same value for all connections`, () => {
      const found = peerCertificates(connectionOf(...shown));
      assert.deepEqual(found.map(String), chain);
      assert.equal(peerCertificates(connectionOf(...shown)), found);
    });
  }

  it('returns different values for chains whose bytes are equal but divided differently', () => {
    assert.notEqual(peerCertificates(connectionOf('ab', 'c')), peerCertificates(connectionOf('a', 'bc')));
  });

  it('does not keep large certificates, which are not verified yet', () => {
    const large = 'x'.repeat(10_000);
    assert.notEqual(peerCertificates(connectionOf(large)), peerCertificates(connectionOf(large)));
  });

  it('returns an empty chain without TLS', () => assert.deepEqual(peerCertificates({} as Socket), []));
});
