import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { makeAuthority } from '#base/x509/make-certificate.ts';
import { caBundleCheck } from './ca-bundle.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const path = new FieldPath('caBundle');

describe('caBundleCheck', () => {
  const { pem } = makeAuthority('a');
  const [, ...inner] = pem.trim().split('\n');
  const cases: readonly [what: string, bundle: string | undefined, problem: string | undefined][] = [
    ['no bundle', undefined, undefined],
    ['an empty bundle', '', undefined],
    ['one certificate', base64(pem), undefined],
    ['several certificates with text between them', base64(`one\n${pem}\ntwo\n${pem}`), undefined],
    ['a certificate and a key', base64(`${pem}-----BEGIN X KEY-----\nAAAA\n-----END X KEY-----\n`), undefined],
    ['a text that is not PEM', base64('no'), 'there is no certificate in PEM form in it'],
    [
      'a certificate without its PEM header and footer',
      base64(inner.slice(0, -1).join('\n')),
      'there is no certificate in PEM form in it',
    ],
    [
      'only a key',
      base64('-----BEGIN X KEY-----\nAAAA\n-----END X KEY-----\n'),
      'there is no certificate in PEM form in it',
    ],
    [
      'invalid content between PEM header and footer',
      base64('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
      'certificate 1 in it is malformed',
    ],
    [
      'a truncated second certificate',
      base64(`${pem}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`),
      'certificate 2 in it is malformed',
    ],
  ];
  for (const [what, bundle, problem] of cases)
    it(`${problem === undefined ? 'accepts' : 'refuses'} ${what}`, () => {
      const [error, ...more] = caBundleCheck()(bundle, path);
      assert.deepEqual(more, []);
      const shown = bundle && `${Buffer.from(bundle, 'base64').length} bytes`;
      const wanted = problem && `caBundle: Invalid value: "${shown}": unable to load root certificates: ${problem}`;
      assert.equal(error?.text, wanted);
    });

  it('accepts an invalid bundle that was stored before', () => {
    const old = base64('no');
    assert.deepEqual(caBundleCheck([undefined, old])(old, path), []);
    assert.equal(caBundleCheck([old])(base64('not'), path).length, 1);
  });

  it('reads only a part of a bundle of many megabytes', () => {
    const check = caBundleCheck();
    const large = base64(pem.repeat(4000));
    const before = process.cpuUsage();
    for (let i = 0; i < 5; i++) assert.deepEqual(check(base64(`${i}\n`) + large, path), []);
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1000 < 1000, 'milliseconds of processor time for 20 MB');
  });
});
