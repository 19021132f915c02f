import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { peerCertificates } from './peer-certificates.ts';

/** A connection with a client certificate chain: each certificate is signed by the next, the last by itself. */
function connectionOf(...certificates: string[]): Socket {
  const [first] = certificates.reduceRight<object[]>((issuers, text) => {
    const certificate: Record<string, unknown> = { raw: Buffer.from(text) };
    certificate['issuerCertificate'] = issuers[0] ?? certificate;
    return [certificate];
  }, []);
  return { getPeerCertificate: () => first ?? {} } as unknown as Socket;
}

describe('certificates of clients', () => {
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
    it(`are the chain of ${shown.length}, the same value for all connections`, () => {
      const found = peerCertificates(connectionOf(...shown));
      assert.deepEqual(found.map(String), chain);
      assert.equal(peerCertificates(connectionOf(...shown)), found);
    });
  }

  it('are others where the same bytes are divided otherwise', () => {
    assert.notEqual(peerCertificates(connectionOf('ab', 'c')), peerCertificates(connectionOf('a', 'bc')));
  });

  it('are not kept where they are large: nothing of them is trusted yet', () => {
    const large = 'x'.repeat(10_000);
    assert.notEqual(peerCertificates(connectionOf(large)), peerCertificates(connectionOf(large)));
  });

  it('are none without TLS', () => assert.deepEqual(peerCertificates({} as Socket), []));
});
