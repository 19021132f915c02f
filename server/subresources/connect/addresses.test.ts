import assert from 'node:assert/strict';
import { refuseOwnAddresses } from './addresses.ts';

describe('refuseOwnAddresses', () => {
  const allowed = [
    ...['10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', '100.100.100.201', '203.0.113.9', '8.8.8.8', '1.0.0.1'],
    ...['fd00::1', 'fd00:ec3::254', 'fd20:ce::255', 'FD12:3456::A', '2001:db8::1', '2a00:1450::1', '64:ff9c::1'],
  ];
  const refused: Record<string, readonly string[]> = {
    'not a valid address': [
      '',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '127.000.000.001',
      '[::1]',
      ' ::1',
    ],
    loopback: ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '0000::0001', '::0.0.0.1'],
    unspecified: ['0.0.0.0', '0.1.2.3', '::', '0::0', '::0.0.0.0'],
    'link-local': [
      '169.254.0.1',
      '169.254.170.2',
      'fe80::1',
      'febf::1',
      'FE80::1',
      'fe80::1%eth0',
      'fec0::1',
      '::1%lo',
    ],
    multicast: ['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', 'ff02::1', 'ff0e::1', 'ff12::1'],
    metadata: [
      ...['169.254.169.254', '192.0.0.192', '100.100.100.200', '168.63.129.16'],
      ...['fd00:ec2::254', 'fd00:0ec2:0:0:0:0:0:254', 'FD00:EC2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe'],
      ...['fd00:c1::169.254.169.254', 'fd00:42::42'],
    ],
    'compatible with IPv4': ['::7f00:1', '::127.0.0.1', '::a9fe:a9fe', '::10.1.2.3'],
    'mapped from IPv4': [
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::FFFF:a9fe:a9fe',
      '::ffff:10.1.2.3',
      '::ffff:0:127.0.0.1',
    ],
    translated: [
      ...['64:ff9b::7f00:1', '64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::a01:203', '0064:ff9b:0::1.2.3.4'],
      ...['64:ff9b:1::7f00:1', '64:ff9b:1:ffff::a9fe:a9fe'],
    ],
    'by 6to4 and Teredo': ['2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:0a01:0203::1', '2001:0:7f00:1::', '2001::1'],
  };
  for (const address of allowed) it(`allows ${address}`, () => assert.equal(refuseOwnAddresses(address), true));
  for (const [what, addresses] of Object.entries(refused))
    for (const address of addresses)
      it(`refuses ${JSON.stringify(address)}: ${what}`, () => assert.equal(refuseOwnAddresses(address), false));
});
