import assert from 'node:assert/strict';
import { readAddressRanges } from './address-ranges.ts';

describe('readAddressRanges', () => {
  const cases: [ranges: string[], address: string, contained: boolean][] = [
    [['192.0.2.1'], '192.0.2.1', true],
    [['192.0.2.1'], '192.0.2.2', false],
    [['10.0.0.0/8', '2001:db8::/32'], '10.200.0.1', true],
    [['10.0.0.0/8', '2001:db8::/32'], '2001:db8::7', true],
    [['10.0.0.0/8', '2001:db8::/32'], '2001:db9::7', false],
    [['0.0.0.0/0'], '::1', false],
    [['10.0.0.0/8'], '::ffff:10.0.0.1', true],
    [['10.0.0.0/8'], '', false],
  ];
  for (const [ranges, address, contained] of cases)
    it(`${ranges.join(', ')} ${contained ? 'contains' : 'does not contain'} ${address || 'an empty text'}`, () =>
      assert.equal(readAddressRanges('--x', ranges).contains(address), contained));

  for (const wrong of ['example.com', '10.0.0.0/33', '2001:db8::/129', '10.0.0/8', '10.0.0.0/', ''])
    it(`refuses ${JSON.stringify(wrong)}`, () =>
      assert.throws(() => readAddressRanges('--x', [wrong]), /invalid value for flag --x/));
});
