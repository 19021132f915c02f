import assert from 'node:assert/strict';
import { collectGarbage } from '../testing/collect-garbage.ts';
import { EncodedPool } from './encoded-pool.ts';
import type { Item } from './item.ts';

describe('EncodedPool', () => {
  const item = () => ({}) as Item;

  it('keeps the bytes of an object separately for each form', () => {
    const pool = new EncodedPool(100);
    const [one, other, some] = [pool.form(), pool.form(), item()];
    const bytes = Buffer.from('x');
    one.set(some, bytes);
    assert.equal(one.get(some), bytes);
    assert.equal(other.get(some), undefined);
  });

  it('keeps the newest half of its limit, and at most its limit, over all forms together', () => {
    const pool = new EncodedPool(100);
    const forms = [pool.form(), pool.form()];
    const items = Array.from({ length: 30 }, item);
    for (const [i, each] of items.entries()) forms[i % 2]!.set(each, Buffer.alloc(10));
    const known = items.map((each, i) => forms[i % 2]!.get(each) !== undefined);
    assert.ok(known.slice(-5).every(Boolean));
    assert.ok(!known.slice(0, -12).some(Boolean));
  });

  it('forgets forms that are no longer used', async () => {
    const pool = new EncodedPool(100);
    const kept = pool.form();
    for (let i = 0; i < 1000; i++) pool.form();
    // Forms live until the end of the turn that made them.
    await new Promise(setImmediate);
    collectGarbage();
    kept.set(item(), Buffer.alloc(60));
    assert.ok(pool.forms < 100, `${pool.forms} forms are left`);
    const last = item();
    kept.set(last, Buffer.alloc(10));
    assert.ok(kept.get(last) !== undefined);
  });
});
