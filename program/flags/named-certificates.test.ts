import assert from 'node:assert/strict';
import { type NamedCertificate, readNamedCertificates } from './named-certificates.ts';

describe('--tls-sni-cert-key', () => {
  const cases: readonly [text: string, expected: NamedCertificate][] = [
    ['a.crt,a.key', { certFile: 'a.crt', keyFile: 'a.key', names: [] }],
    ['/etc/a.crt,/etc/a.key:api.example', { certFile: '/etc/a.crt', keyFile: '/etc/a.key', names: ['api.example'] }],
    ['a,b:*.Foo.example,foo.example', { certFile: 'a', keyFile: 'b', names: ['*.foo.example', 'foo.example'] }],
    ['a,b:*.*.example', { certFile: 'a', keyFile: 'b', names: ['*.*.example'] }],
  ];
  for (const [text, expected] of cases) {
    it(`reads ${text}`, () => assert.deepEqual(readNamedCertificates([text]), [expected]));
  }

  for (const text of ['', 'a.crt', 'a,b,c', 'a,b:', 'a,b:192.0.2.1', 'a,b:x.*', 'a,b:-,', ',b'])
    it(`refuses ${JSON.stringify(text)}`, () =>
      assert.throws(() => readNamedCertificates([text]), { name: 'ConfigError', message: /--tls-sni-cert-key/ }));
});
