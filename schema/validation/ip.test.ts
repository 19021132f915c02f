import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import {
  canonicalIp,
  cidrText,
  contains,
  familyOfText,
  ipText,
  isInside,
  parseCidr,
  parseIp,
  validateReachableIp,
} from './ip.ts';

/** A text, and the address in the usual form; undefined if the text is not an address. */
const ADDRESSES: [text: string, address: string | undefined][] = [
  ['10.0.0.1', '10.0.0.1'],
  ['010.0.0.010', '10.0.0.10'],
  ['256.0.0.1', undefined],
  ['10.1', undefined],
  ['0x0a.0.0.1', undefined],
  ['10.0.0.1.', undefined],
  ['', undefined],
  [' 10.0.0.1', undefined],
  ['::', '::'],
  ['FD00::0001', 'fd00::1'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['fd00::1.2.3.4', 'fd00::102:304'],
  ['fe80::1%eth0', undefined],
  ['[::1]', undefined],
  ['1:2:3', undefined],
  ['12345::', undefined],
];

/** A text, and the network with its length; undefined if the text is not a range. */
const RANGES: [text: string, network: string | undefined][] = [
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['010.0.0.0/8', '10.0.0.0/8'],
  ['10.1.2.3/0', '0.0.0.0/0'],
  ['10.1.2.3/32', '10.1.2.3/32'],
  ['10.1.2.3/33', undefined],
  ['10.1.2.3/13', '10.0.0.0/13'],
  ['fd00:1:2::/33', 'fd00:1::/33'],
  ['fd00::/128', 'fd00::/128'],
  ['fd00::/129', undefined],
  ['10.0.0.0', undefined],
  ['10.0.0.0/', undefined],
  ['10.0.0.0/-1', undefined],
  ['10.0.0.0/8/8', undefined],
  ['10.0.0.0/255.0.0.0', undefined],
];

describe('IP addresses and ranges', () => {
  for (const [text, address] of ADDRESSES) {
    it(`${JSON.stringify(text)} is ${address}`, () => {
      const parsed = parseIp(text);
      assert.equal(parsed && canonicalIp(parsed), address);
      assert.equal(ipText(text).length, address === undefined ? 1 : 0);
      assert.equal(familyOfText(text), address && (address.includes(':') ? 'IPv6' : 'IPv4'));
    });
  }

  for (const [text, network] of RANGES) {
    it(`${text} is ${network}`, () => {
      const range = parseCidr(text);
      assert.equal(range && `${canonicalIp(range.network)}/${range.bits}`, network);
      assert.equal(cidrText(text).length, network === undefined ? 1 : 0);
    });
  }

  it('ranges contain addresses and other ranges', () => {
    const range = (text: string) => parseCidr(text) ?? assert.fail(text);
    const address = (text: string) => parseIp(text) ?? assert.fail(text);
    assert.equal(contains(range('10.0.0.0/8'), address('10.255.0.1')), true);
    assert.equal(contains(range('10.0.0.0/8'), address('11.0.0.1')), false);
    assert.equal(contains(range('10.0.0.0/8'), address('fd00::1')), false);
    assert.equal(isInside(range('10.1.0.0/16'), range('10.0.0.0/8')), true);
    assert.equal(isInside(range('10.0.0.0/8'), range('10.0.0.0/8')), true);
    assert.equal(isInside(range('10.0.0.0/7'), range('10.0.0.0/8')), false);
    assert.equal(isInside(range('fd00::/64'), range('10.0.0.0/8')), false);
  });

  it('validateReachableIp refuses addresses that other machines cannot reach', () => {
    const rows: [string, string | undefined][] = [
      ['10.0.0.1', undefined],
      ['fd00::1', undefined],
      ['224.0.1.1', undefined],
      ['x', 'must be a valid IP address'],
      ['0.0.0.0', 'may not be unspecified (0.0.0.0)'],
      ['::', 'may not be unspecified (::)'],
      ['127.0.0.1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
      ['::1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
      ['169.254.1.1', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
      ['febf::1', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
      ['224.0.0.7', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
      ['ff12::1', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
    ];
    for (const [text, detail] of rows) {
      const bodies = validateReachableIp(text, new FieldPath('ip')).map(({ body }) => body);
      assert.deepEqual(bodies, detail === undefined ? [] : [`Invalid value: ${JSON.stringify(text)}: ${detail}`]);
    }
  });
});
