import assert from 'node:assert/strict';
import fc from 'fast-check';
import { anyText } from '#server/testing/any-text.ts';
import { compareText, sortShort } from './sort-short.ts';

describe('sortShort', () => {
  it('orders lists of any length as the engine does', () => {
    fc.assert(
      fc.property(fc.array(anyText(), { maxLength: 40 }), (list) => {
        assert.deepEqual(sortShort([...list], compareText), [...list].sort());
      }),
    );
  });

  it('keeps equal items in their order', () => {
    const items = fc.record({ key: fc.integer({ min: 0, max: 3 }), at: fc.integer() });
    fc.assert(
      fc.property(fc.array(items, { maxLength: 40 }), (list) => {
        const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;
        assert.deepEqual(sortShort([...list], byKey), [...list].sort(byKey));
      }),
    );
  });
});
