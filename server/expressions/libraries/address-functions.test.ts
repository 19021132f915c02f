import assert from 'node:assert/strict';
import { outcome } from '../testing/outcome.ts';

/** Programs of the field give the same results. */
const CASES: [expression: string, outcome: string][] = [
  ['ip("127.0.0.1")', '127.0.0.1'],
  ['ip("127.0.0.1").isLinkLocalMulticast()', 'false'],
  ['isIP("::1")', 'true'],
  ['ip("::1").isLinkLocalUnicast()', 'false'],
  ['ip.isCanonical("10.0.0.1")', 'true'],
  ['ip("10.0.0.1").isGlobalUnicast()', 'true'],
  [
    'string(ip("010.0.0.1"))',
    'error: IP Address "010.0.0.1" parse error during conversion from string: ParseAddr("010.0.0.1"): unable to parse IP',
  ],
  [
    'ip("010.0.0.1") == ip("127.0.0.1")',
    'error: IP Address "010.0.0.1" parse error during conversion from string: ParseAddr("010.0.0.1"): unable to parse IP',
  ],
  ['ip("::ffff:1.2.3.4").family()', 'error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
  [
    'cidr("10.0.0.0/8").containsIP("::ffff:1.2.3.4")',
    'error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed',
  ],
  ['ip("fe80::1").isUnspecified()', 'false'],
  ['cidr("::/0").containsIP(ip("fe80::1"))', 'true'],
  ['ip("fe80::1%eth0").isLoopback()', 'error: IP address "fe80::1%eth0" with zone value is not allowed'],
  ['ip("ff02::1")', 'ff02::1'],
  ['ip("ff02::1").isLinkLocalMulticast()', 'true'],
  ['isIP("224.0.0.1")', 'true'],
  ['ip("224.0.0.1").isLinkLocalUnicast()', 'false'],
  ['ip.isCanonical("224.0.1.1")', 'true'],
  ['ip("224.0.1.1").isGlobalUnicast()', 'false'],
  ['string(ip("169.254.1.1"))', '"169.254.1.1"'],
  ['ip("169.254.1.1") == ip("127.0.0.1")', 'false'],
  ['ip("0.0.0.0").family()', '4'],
  ['cidr("10.0.0.0/8").containsIP("0.0.0.0")', 'false'],
  ['ip("::").isUnspecified()', 'true'],
  ['cidr("::/0").containsIP(ip("::"))', 'true'],
  ['ip("255.255.255.255").isLoopback()', 'false'],
  ['ip("ff01::1")', 'ff01::1'],
  ['ip("ff01::1").isLinkLocalMulticast()', 'false'],
  ['isIP("ff12::2")', 'true'],
  ['ip("ff12::2").isLinkLocalUnicast()', 'false'],
  ['ip.isCanonical("2001:db8::1")', 'true'],
  ['ip("2001:db8::1").isGlobalUnicast()', 'true'],
  ['string(ip("2001:DB8::1"))', '"2001:db8::1"'],
  ['ip("2001:DB8::1") == ip("127.0.0.1")', 'false'],
  ['ip("2001:db8:0:0:0:0:0:1").family()', '6'],
  ['cidr("10.0.0.0/8").containsIP("2001:db8:0:0:0:0:0:1")', 'false'],
  [
    'ip("1.2.3").isUnspecified()',
    'error: IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): unable to parse IP',
  ],
  [
    'cidr("::/0").containsIP(ip("1.2.3"))',
    'error: IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): unable to parse IP',
  ],
  [
    'ip("1.2.3.4.5").isLoopback()',
    'error: IP Address "1.2.3.4.5" parse error during conversion from string: ParseAddr("1.2.3.4.5"): unable to parse IP',
  ],
  [
    'ip("256.1.1.1")',
    'error: IP Address "256.1.1.1" parse error during conversion from string: ParseAddr("256.1.1.1"): unable to parse IP',
  ],
  [
    'ip("256.1.1.1").isLinkLocalMulticast()',
    'error: IP Address "256.1.1.1" parse error during conversion from string: ParseAddr("256.1.1.1"): unable to parse IP',
  ],
  ['isIP("")', 'false'],
  [
    'ip("").isLinkLocalUnicast()',
    'error: IP Address "" parse error during conversion from string: ParseAddr(""): unable to parse IP',
  ],
  [
    'ip.isCanonical("abc")',
    'error: IP Address "abc" parse error during conversion from string: ParseAddr("abc"): unable to parse IP',
  ],
  [
    'ip("abc").isGlobalUnicast()',
    'error: IP Address "abc" parse error during conversion from string: ParseAddr("abc"): unable to parse IP',
  ],
  ['string(ip("::1.2.3.4"))', '"::102:304"'],
  ['ip("::1.2.3.4") == ip("127.0.0.1")', 'false'],
  [
    'ip("1::2::3").family()',
    'error: IP Address "1::2::3" parse error during conversion from string: ParseAddr("1::2::3"): unable to parse IP',
  ],
  [
    'cidr("10.0.0.0/8").containsIP("1::2::3")',
    'error: IP Address "1::2::3" parse error during conversion from string: ParseAddr("1::2::3"): unable to parse IP',
  ],
  ['ip("239.1.1.1").isUnspecified()', 'false'],
  ['cidr("::/0").containsIP(ip("239.1.1.1"))', 'false'],
  ['ip("ff00::").isLoopback()', 'false'],
  [
    'ip(" 1.1.1.1")',
    'error: IP Address " 1.1.1.1" parse error during conversion from string: ParseAddr(" 1.1.1.1"): unable to parse IP',
  ],
  [
    'ip(" 1.1.1.1").isLinkLocalMulticast()',
    'error: IP Address " 1.1.1.1" parse error during conversion from string: ParseAddr(" 1.1.1.1"): unable to parse IP',
  ],
  ['isIP("1.1.1.1/8")', 'false'],
  [
    'ip("1.1.1.1/8").isLinkLocalUnicast()',
    'error: IP Address "1.1.1.1/8" parse error during conversion from string: ParseAddr("1.1.1.1/8"): unable to parse IP',
  ],
  ['ip.isCanonical("fec0::1")', 'true'],
  ['ip("fec0::1").isGlobalUnicast()', 'true'],
  ['string(ip("fc00::1"))', '"fc00::1"'],
  ['ip("fc00::1") == ip("127.0.0.1")', 'false'],
  ['ip("2001:db8::0:1:0:0").family()', '6'],
  ['cidr("10.0.0.0/8").containsIP("2001:db8::0:1:0:0")', 'false'],
  ['ip("100::").isUnspecified()', 'false'],
  ['cidr("::/0").containsIP(ip("100::"))', 'true'],
  ['cidr("10.0.0.0/8").masked()', '10.0.0.0/8'],
  ['cidr("10.1.2.3/8")', '10.1.2.3/8'],
  ['cidr("10.1.2.3/8").containsIP("10.1.2.3")', 'true'],
  ['isCIDR("::/0")', 'true'],
  ['cidr("::/0").containsIP(ip("fd00::1"))', 'true'],
  ['string(cidr("fd00::/64"))', '"fd00::/64"'],
  ['cidr("fd00::/64").containsCIDR("10.1.0.0/16")', 'false'],
  [
    'cidr("1.2.3.4").ip()',
    `error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4"): no '/'`,
  ],
  [
    'cidr("1.2.3.4").containsCIDR(cidr("192.168.0.0/25"))',
    `error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4"): no '/'`,
  ],
  [
    'cidr("1.2.3.4/33").ip().family()',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4/33"): prefix length out of range',
  ],
  [
    'cidr("1.2.3.4/33") == cidr("10.0.0.0/8")',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4/33"): prefix length out of range',
  ],
  [
    'cidr("1.2.3.4/032").prefixLength()',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4/032"): bad bits after slash: "032"',
  ],
  [
    'cidr("10.0.0.0/8").containsCIDR("1.2.3.4/032")',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4/032"): bad bits after slash: "032"',
  ],
  [
    'cidr("1.2.3.4/").masked()',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4/"): bad bits after slash: ""',
  ],
  [
    'cidr("/8")',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("/8"): ParseAddr(""): unable to parse IP',
  ],
  [
    'cidr("/8").containsIP("10.1.2.3")',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("/8"): ParseAddr(""): unable to parse IP',
  ],
  ['isCIDR("::ffff:1.2.3.4/100")', 'false'],
  [
    'cidr("::ffff:1.2.3.4/100").containsIP(ip("fd00::1"))',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: IPv4-mapped IPv6 address "::ffff:1.2.3.4/100" is not allowed',
  ],
  [
    'string(cidr("fe80::1%e/64"))',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("fe80::1%e/64"): IPv6 zones cannot be present in a prefix',
  ],
  [
    'cidr("fe80::1%e/64").containsCIDR("10.1.0.0/16")',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("fe80::1%e/64"): IPv6 zones cannot be present in a prefix',
  ],
  ['cidr("0.0.0.0/0").ip()', '0.0.0.0'],
  ['cidr("0.0.0.0/0").containsCIDR(cidr("192.168.0.0/25"))', 'true'],
  [
    'cidr("10.0.0.0/8/8").ip().family()',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/8/8"): ParseAddr("10.0.0.0/8"): unable to parse IP',
  ],
  [
    'cidr("10.0.0.0/8/8") == cidr("10.0.0.0/8")',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/8/8"): ParseAddr("10.0.0.0/8"): unable to parse IP',
  ],
  [
    'cidr("2001:db8::1/129").prefixLength()',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("2001:db8::1/129"): prefix length out of range',
  ],
  [
    'cidr("10.0.0.0/8").containsCIDR("2001:db8::1/129")',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("2001:db8::1/129"): prefix length out of range',
  ],
  [
    'cidr("10.0.0.0/-1").masked()',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/-1"): bad bits after slash: "-1"',
  ],
  ['cidr("192.168.0.0/24")', '192.168.0.0/24'],
  ['cidr("192.168.0.0/24").containsIP("10.1.2.3")', 'false'],
  ['isCIDR("192.168.0.5/32")', 'true'],
  ['cidr("192.168.0.5/32").containsIP(ip("fd00::1"))', 'false'],
  [
    'string(cidr("x/8"))',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("x/8"): ParseAddr("x"): unable to parse IP',
  ],
  [
    'cidr("x/8").containsCIDR("10.1.0.0/16")',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("x/8"): ParseAddr("x"): unable to parse IP',
  ],
  [
    'cidr("10.0.0.0/+8").ip()',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/+8"): bad bits after slash: "+8"',
  ],
  [
    'cidr("10.0.0.0/+8").containsCIDR(cidr("192.168.0.0/25"))',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/+8"): bad bits after slash: "+8"',
  ],
  ['cidr("10.128.0.0/9").ip().family()', '4'],
  ['cidr("10.128.0.0/9") == cidr("10.0.0.0/8")', 'false'],
  [
    'cidr(self.s).containsCIDR(cidr(self.u))',
    `error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("hello"): no '/'`,
  ],
];

describe('IP addresses and networks in expressions', () => {
  for (const [expression, expected] of CASES)
    it(`${expression} is ${expected}`, () => {
      assert.equal(outcome(expression), expected);
    });
});
