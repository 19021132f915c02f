import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseIp } from '#schema/validation/ip.ts';
import { AddressRange } from './address-range.ts';

describe('AddressRange', () => {
  const rows: [text: string, size: number, first: string, last: string, reserved: number][] = [
    ['10.0.0.0/24', 254, '10.0.0.1', '10.0.0.254', 16],
    ['10.0.0.7/28', 14, '10.0.0.1', '10.0.0.14', 0],
    ['10.96.0.0/12', 1_048_574, '10.96.0.1', '10.111.255.254', 256],
    ['fd00::/112', 65_535, 'fd00::1', 'fd00::ffff', 256],
    ['fd00::/64', 65_535, 'fd00::1', 'fd00::ffff', 256],
  ];
  for (const [text, size, first, last, reserved] of rows) {
    it(text, () => {
      const range = AddressRange.parse(text);
      assert.deepEqual([range.size, range.at(0), range.at(size - 1), range.reserved], [size, first, last, reserved]);
    });
  }

  it('excludes its first and last address, and all addresses outside', () => {
    const range = AddressRange.parse('10.0.0.0/24');
    for (const text of ['10.0.0.0', '10.0.0.255', '10.0.1.1', '9.255.255.255', 'fd00::1']) {
      assert.equal(range.indexOf(parseIp(text)!), undefined, text);
    }
    assert.equal(AddressRange.parse('10.0.0.0/31').size, 0);
  });

  it('finds each address at its own index', () => {
    const ranges = ['10.0.0.0/24', '10.96.0.0/12', 'fd00::/112'].map((text) => AddressRange.parse(text));
    fc.assert(
      fc.property(fc.constantFrom(...ranges), fc.nat(), (range, n) => {
        const index = n % range.size;
        assert.equal(range.indexOf(parseIp(range.at(index))!), index);
      }),
    );
  });
});
