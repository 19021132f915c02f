import assert from 'node:assert/strict';
import fc from 'fast-check';
import { anyText } from '#server/testing/any-text.ts';
import { compareText, sortShort } from './sort-short.ts';

describe('sortShort', () => {
  it('sorts lists of any length as Array.prototype.sort does', () => {
    fc.assert(
      fc.property(fc.array(anyText(), { maxLength: 40 }), (list) => {
        assert.deepEqual(sortShort([...list], compareText), [...list].sort());
      }),
    );
  });

  it('is stable: keeps the order of equal items', () => {
    const items = fc.record({ key: fc.integer({ min: 0, max: 3 }), at: fc.integer() });
    fc.assert(
      fc.property(fc.array(items, { maxLength: 40 }), (list) => {
        const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;
        assert.deepEqual(sortShort([...list], byKey), [...list].sort(byKey));
      }),
    );
  });
});
