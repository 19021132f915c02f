import assert from 'node:assert/strict';
import type { Item } from '../cache/item.ts';
import { EncodedPool } from './encoded-pool.ts';

describe('a pool of encoded objects', () => {
  const item = () => ({}) as Item;

  it('remembers by form', () => {
    const pool = new EncodedPool(100);
    const [one, other, some] = [pool.form(), pool.form(), item()];
    const bytes = Buffer.from('x');
    one.set(some, bytes);
    assert.equal(one.get(some), bytes);
    assert.equal(other.get(some), undefined);
  });

  it('keeps the last half of its limit, and forgets what is older than all of it, whatever the form', () => {
    const pool = new EncodedPool(100);
    const forms = [pool.form(), pool.form()];
    const items = Array.from({ length: 30 }, item);
    for (const [i, each] of items.entries()) forms[i % 2]!.set(each, Buffer.alloc(10));
    const known = items.map((each, i) => forms[i % 2]!.get(each) !== undefined);
    assert.ok(known.slice(-5).every(Boolean));
    assert.ok(!known.slice(0, -12).some(Boolean));
  });
});
