import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readPlace, writePlace } from './place.ts';

describe('a location in the console', () => {
  it('is read back from its URL', () => {
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
        tab: text,
        sort: text,
        wide: text,
      },
      { noNullPrototype: true },
    );
    fc.assert(fc.property(place, (one) => assert.deepEqual(readPlace(writePlace(one)), one)));
  });

  it('is the table without a kind if the URL names nothing', () => {
    const empty = {
      kind: '',
      namespace: '',
      filter: '',
      labels: '',
      fields: '',
      object: '',
      tab: '',
      sort: '',
      wide: '',
    };
    const nowhere = { view: 'table', ...empty };
    for (const hash of ['', '#', '#/', '#/table', '#/table?', '#/other?x=y'])
      assert.deepEqual(readPlace(hash), nowhere);
  });
});
