import assert from 'node:assert/strict';
import type { EndpointAddress } from '../../server/schema/generated/core.v1.ts';
import { truncate } from './endpoint-subsets.ts';

describe('truncating endpoints', () => {
  const ip = (text: string): EndpointAddress => ({ ip: text });
  const subsets = [
    { addresses: [ip('a'), ip('b')], notReadyAddresses: [ip('c')] },
    { addresses: [ip('d')], ports: [{ port: 1 }] },
    { notReadyAddresses: [ip('e')] },
  ];
  const cases: [most: number, left: string][] = [
    [5, 'ab/c d/ /e'],
    [4, 'ab/c d/'],
    [3, 'ab/ d/'],
    [1, 'a/'],
  ];
  for (const [most, left] of cases)
    it(`keeps ${most}, ready ones first`, () => {
      const names = (addresses: EndpointAddress[] = []) => addresses.map((address) => address.ip).join('');
      const kept = truncate(subsets, most);
      assert.equal(kept.map((s) => `${names(s.addresses)}/${names(s.notReadyAddresses)}`).join(' '), left);
      assert.equal(kept === subsets, most === 5);
    });
});
