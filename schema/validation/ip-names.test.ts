import assert from 'node:assert/strict';
import { canonicalCidrText, canonicalIpText } from './ip-names.ts';

describe('canonicalIpText', () => {
  const addresses: [text: string, problem: RegExp | undefined][] = [
    ['10.0.0.1', undefined],
    ['10.0.0.0', undefined],
    ['fd00::1', undefined],
    ['192.168.7.01', /leading 0s/],
    ['FD00::1', /canonical form \("fd00::1"\)/],
    ['fd00:0::1', /canonical form/],
    ['::ffff:10.0.0.1', /must not be an IPv4-mapped IPv6 address/],
    ['x', /must be a valid IP address/],
    ['', /must be a valid IP address/],
  ];
  for (const [text, problem] of addresses)
    it(`${JSON.stringify(text)} is ${problem === undefined ? 'valid' : 'invalid'}`, () => {
      const found = canonicalIpText(text);
      if (problem === undefined) assert.deepEqual(found, []);
      else assert.match(found.join(), problem);
    });
});

describe('canonicalCidrText', () => {
  const networks: [text: string, problem: RegExp | undefined][] = [
    ['10.0.0.0/24', undefined],
    ['fd00::/112', undefined],
    ['10.0.0.1/24', /bits set beyond the prefix/],
    ['010.0.0.0/24', /leading 0s/],
    ['10.0.0.0/08', /leading 0s/],
    ['FD00::/112', /canonical form \("fd00::\/112"\)/],
    ['10.0.0.0', /must be a valid CIDR value/],
  ];
  for (const [text, problem] of networks)
    it(`${JSON.stringify(text)} is ${problem === undefined ? 'valid' : 'invalid'}`, () => {
      const found = canonicalCidrText(text);
      if (problem === undefined) assert.deepEqual(found, []);
      else assert.match(found.join(), problem);
    });
});
