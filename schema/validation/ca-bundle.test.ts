import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { makeAuthority } from '#base/x509/make-certificate.ts';
import { caBundleCheck } from './ca-bundle.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const path = new FieldPath('caBundle');

describe('a bundle of certificates', () => {
  const { pem } = makeAuthority('a');
  const [, ...inner] = pem.trim().split('\n');
  const cases: readonly [what: string, bundle: string | undefined, problem: string | undefined][] = [
    ['that is not there', undefined, undefined],
    ['that is empty', '', undefined],
    ['of one certificate', base64(pem), undefined],
    ['of several, with words in between', base64(`one\n${pem}\ntwo\n${pem}`), undefined],
    [
      'with a key beside the certificate',
      base64(`${pem}-----BEGIN X KEY-----\nAAAA\n-----END X KEY-----\n`),
      undefined,
    ],
    ['that is no PEM', base64('no'), 'there is no certificate in PEM form in it'],
    [
      'that is the certificate without its frame',
      base64(inner.slice(0, -1).join('\n')),
      'there is no certificate in PEM form in it',
    ],
    [
      'of a key alone',
      base64('-----BEGIN X KEY-----\nAAAA\n-----END X KEY-----\n'),
      'there is no certificate in PEM form in it',
    ],
    [
      'with something else in the frame',
      base64('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
      'certificate 1 in it is malformed',
    ],
    [
      'whose second certificate is cut',
      base64(`${pem}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`),
      'certificate 2 in it is malformed',
    ],
  ];
  for (const [what, bundle, problem] of cases)
    it(`${what} is ${problem === undefined ? 'taken' : 'refused'}`, () => {
      const [error, ...more] = caBundleCheck()(bundle, path);
      assert.deepEqual(more, []);
      const shown = bundle && `${Buffer.from(bundle, 'base64').length} bytes`;
      const wanted = problem && `caBundle: Invalid value: "${shown}": unable to load root certificates: ${problem}`;
      assert.equal(error?.text, wanted);
    });

  it('that was stored before may stay', () => {
    const old = base64('no');
    assert.deepEqual(caBundleCheck([undefined, old])(old, path), []);
    assert.equal(caBundleCheck([old])(base64('not'), path).length, 1);
  });

  it('of many megabytes is read in part', () => {
    const check = caBundleCheck();
    const large = base64(pem.repeat(4000));
    const before = process.cpuUsage();
    for (let i = 0; i < 5; i++) assert.deepEqual(check(base64(`${i}\n`) + large, path), []);
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1000 < 1000, 'milliseconds of processor time for 20 MB');
  });
});
