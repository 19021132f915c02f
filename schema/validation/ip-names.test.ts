import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { canonicalCidrText, canonicalIpText, earlierCidrWarnings, earlierIpWarnings } from './ip-names.ts';

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

describe('warnings of releases before 1.33', () => {
  const at = new FieldPath('f');
  const rows: readonly (readonly [warn: typeof earlierIpWarnings, text: string, warning: string | undefined])[] = [
    [earlierIpWarnings, '10.0.0.1', undefined],
    [earlierIpWarnings, 'fd00::1', undefined],
    [earlierIpWarnings, '::ffff:10.0.0.1', undefined],
    [
      earlierIpWarnings,
      '010.0.0.1',
      'f: IP address was accepted, but will be invalid in a future Orch release: ParseAddr("010.0.0.1"): IPv4 field has octet with leading zero',
    ],
    [
      earlierIpWarnings,
      'FD00::1',
      'f: IPv6 address "FD00::1" is not in RFC 5952 canonical format ("fd00::1"), which may cause controller apply-loops',
    ],
    [earlierCidrWarnings, '10.0.0.1/24', undefined],
    [
      earlierCidrWarnings,
      '010.0.0.0/8',
      'f: IP prefix was accepted, but will be invalid in a future Orch release: netip.ParsePrefix("010.0.0.0/8"): ParseAddr("010.0.0.0"): IPv4 field has octet with leading zero',
    ],
    [
      earlierCidrWarnings,
      '10.0.0.0/08',
      'f: IP prefix was accepted, but will be invalid in a future Orch release: netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08"',
    ],
    [
      earlierCidrWarnings,
      'FD00::1/64',
      'f: IPv6 prefix "FD00::1/64" is not in RFC 5952 canonical format ("fd00::1/64"), which may cause controller apply-loops',
    ],
  ];
  for (const [warn, text, warning] of rows)
    it(`${text}: ${warning === undefined ? 'none' : 'one'}`, () => {
      assert.deepEqual(warn(text, at, 'Orch'), warning === undefined ? [] : [warning]);
    });
});
