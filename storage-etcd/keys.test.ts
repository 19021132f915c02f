import assert from 'node:assert/strict';
import fc from 'fast-check';
import { prefixEnd } from './keys.ts';

describe('prefixEnd', () => {
  for (const [prefix, end] of [
    ['a', 'b'],
    ['/registry/', '/registry0'],
    ['ab', 'ac'],
    ['\u007f', '\u0080'],
    ['', '\0'],
  ] as const) {
    it(`of ${JSON.stringify(prefix)} is ${JSON.stringify(end)}`, () => {
      // Each key has one byte, because such an end need not be valid text.
      assert.deepEqual(prefixEnd(prefix), Buffer.from(end, 'latin1'));
    });
  }

  it('is after every key with the prefix, but not after larger keys without it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), fc.string(), (prefix, rest, other) => {
        const end = prefixEnd(prefix);
        assert.ok(Buffer.compare(Buffer.from(prefix + rest), end) < 0);
        const bytes = Buffer.from(other);
        const start = Buffer.from(prefix);
        const inside = Buffer.compare(bytes, start) >= 0 && Buffer.compare(bytes, end) < 0;
        assert.equal(inside, bytes.subarray(0, start.length).equals(start));
      }),
    );
  });
});
