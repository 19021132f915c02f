import assert from 'node:assert/strict';
import { makeAuthority } from '#base/x509/make-certificate.ts';
import { ofPem, ofToken } from './expiries.ts';

describe('expiry of certificates and tokens', () => {
  it('lists each certificate in a PEM text', () => {
    const made = ['one', 'two'].map((name) => makeAuthority(name).pem);
    const found = ofPem(`comment\n${made.join('\n')}`, 'here');
    assert.deepEqual(
      found.map(({ where, subject, problem }) => [where, subject, problem]),
      [
        ['here', 'CN=one', ''],
        ['here', 'CN=two', ''],
      ],
    );
    assert.ok(found.every(({ ends }) => ends > Date.now()));
  });

  it('reports a certificate that cannot be read', () => {
    const [one] = ofPem('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'here');
    assert.deepEqual([one!.ends, one!.problem], [0, 'it cannot be read']);
  });

  const token = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
  const tokens: readonly [what: string, token: string, ends: readonly number[]][] = [
    ['reads the expiry of a token', token({ exp: 1_700_000_000, sub: 'me', iss: 'them' }), [1_700_000_000_000]],
    ['lists no token without an expiry', token({ sub: 'me' }), []],
    ['lists no token of another form', 'secret', []],
    ['lists no empty token', '', []],
  ];
  for (const [what, text, ends] of tokens)
    it(what, () =>
      assert.deepEqual(
        ofToken(text).map((one) => one.ends),
        ends,
      ),
    );
});
