import assert from 'node:assert/strict';
import { makeAuthority, makeCertificate } from '#base/x509/make-certificate.ts';
import { type TrustedClients, trustData } from './trusted-clients.ts';

const one = makeAuthority('one').pem;
const other = makeAuthority('other').pem;
const expired = makeCertificate({ subject: [['2.5.4.3', 'old']], ca: true, from: -3, to: -1 }).pem;
const lines = (text: string) => text.trim().split('\n');

function trusts(clientCa: string | undefined, frontProxyCa?: string): TrustedClients {
  const lists = { usernameHeaders: ['X-User'], groupHeaders: ['X-Group'], extraHeaderPrefixes: [] };
  const frontProxy = frontProxyCa === undefined ? undefined : { ca: frontProxyCa, allowedNames: ['proxy'], ...lists };
  return { clientCa, frontProxy };
}

describe('trustData for extension servers', () => {
  it('contains the authorities and header names that the replica trusts', () => {
    const data = trustData({}, trusts(one, other), Date.now());
    assert.deepEqual(lines(data['client-ca-file']!), lines(one));
    assert.deepEqual(lines(data['requestheader-client-ca-file']!), lines(other));
    assert.equal(data['requestheader-allowed-names'], '["proxy"]');
    assert.equal(data['requestheader-username-headers'], '["X-User"]');
    assert.equal(data['requestheader-group-headers'], '["X-Group"]');
    assert.equal(data['requestheader-extra-headers-prefix'], '[]');
  });

  it('contains only what the replica knows', () => {
    assert.deepEqual(trustData({}, trusts(undefined), Date.now()), {});
    assert.deepEqual(Object.keys(trustData({}, trusts(one), Date.now())), ['client-ca-file']);
  });

  it('keeps what other replicas and administrators added, except expired certificates', () => {
    const before = {
      'client-ca-file': `${other}\n${expired}\nnonsense`,
      'requestheader-allowed-names': '["another"]',
      'requestheader-group-headers': '{',
      note: 'kept',
    };
    const data = trustData(before, trusts(one, one), Date.now());
    assert.deepEqual(lines(data['client-ca-file']!), [...lines(other), ...lines(one)]);
    assert.equal(data['requestheader-allowed-names'], '["another","proxy"]');
    assert.equal(data['requestheader-group-headers'], '["X-Group"]');
    assert.equal(data['note'], 'kept');
  });

  it('is unchanged if it already contains everything', () => {
    const data = trustData({}, trusts(one, other), Date.now());
    assert.deepEqual(trustData(data, trusts(one, other), Date.now()), data);
  });
});
