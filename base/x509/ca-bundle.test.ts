import assert from 'node:assert/strict';
import { bundleText, unreadableBundle } from './ca-bundle.ts';
import { makeAuthority } from './make-certificate.ts';

describe('unreadableBundle', () => {
  const { pem } = makeAuthority('a');
  const [, ...inner] = pem.trim().split('\n');
  const key = '-----BEGIN X KEY-----\nAAAA\n-----END X KEY-----\n';
  const junk = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const cases: readonly [what: string, bundle: string, problem: string | undefined][] = [
    ['one certificate', pem, undefined],
    ['several certificates with text between them', `one\n${pem}\ntwo\n${pem}`, undefined],
    ['a certificate and a key', `${pem}${key}`, undefined],
    ['a certificate beside a malformed one', `${junk}${pem}`, undefined],
    ['a line break, the placeholder of installers', '\n', 'unable to parse bytes as PEM block'],
    ['a text that is not PEM', 'no', 'unable to parse bytes as PEM block'],
    [
      'a certificate without its PEM header and footer',
      inner.slice(0, -1).join('\n'),
      'unable to parse bytes as PEM block',
    ],
    ['only a key', key, 'no valid certificate authority data seen'],
    ['invalid content between PEM header and footer', junk, 'failed to parse certificate'],
  ];
  for (const [what, bundle, problem] of cases)
    it(`${problem === undefined ? 'reads' : 'does not read'} ${what}`, () =>
      assert.equal(unreadableBundle(bundle), problem));

  it('reads only the first part of a bundle of megabytes', () => {
    const before = process.cpuUsage();
    for (let i = 0; i < 5; i++) assert.equal(unreadableBundle(`${i}\n${junk.repeat(60_000)}`), undefined);
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1000 < 2000, 'milliseconds of processor time for 17 MB');
  });
});

describe('bundleText', () => {
  for (const [base64, text] of [
    [undefined, undefined],
    ['', undefined],
    ['Cg==', '\n'],
  ] as const)
    it(`is ${JSON.stringify(text)} for ${JSON.stringify(base64)}`, () => assert.equal(bundleText(base64), text));
});
