import assert from 'node:assert/strict';
import { type Order, readOrder, writeOrder } from './order-text.ts';

describe('the order of a table in the address', () => {
  const cases: readonly [text: string, order: Order][] = [
    ['', { sort: 'name', descending: false }],
    ['-name', { sort: 'name', descending: true }],
    ['0', { sort: 0, descending: false }],
    ['-12', { sort: 12, descending: true }],
    ['age', { sort: 'age', descending: false }],
    ['-namespace', { sort: 'namespace', descending: true }],
  ];
  for (const [text, order] of cases)
    it(`'${text}'`, () => {
      assert.deepEqual(readOrder(text), order);
      assert.equal(writeOrder(order), text);
    });

  it('is the order by name if the address names no column', () => {
    for (const text of ['x', '1e3', '1234', '__proto__']) assert.equal(readOrder(text).sort, 'name');
  });
});
