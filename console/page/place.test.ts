import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readPlace, writePlace } from './place.ts';

describe('a place of the console', () => {
  it('is an address that leads back to it', () => {
    const text = fc.string();
    const place = fc.record(
      {
        view: fc.constantFrom('table' as const, 'control-plane' as const),
        kind: text,
        namespace: text,
        filter: text,
        labels: text,
        fields: text,
        object: text,
      },
      { noNullPrototype: true },
    );
    fc.assert(fc.property(place, (one) => assert.deepEqual(readPlace(writePlace(one)), one)));
  });

  it('is the table of no kind, where the address says nothing', () => {
    const nowhere = { view: 'table', kind: '', namespace: '', filter: '', labels: '', fields: '', object: '' };
    for (const hash of ['', '#', '#/', '#/table', '#/table?', '#/other?x=y'])
      assert.deepEqual(readPlace(hash), nowhere);
  });
});
