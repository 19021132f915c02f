import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Item } from './item.ts';
import { inScope } from './key-order.ts';
import { SortedItems } from './sorted-items.ts';

function item(key: string, revision: number): Item {
  const body = Buffer.from(String(revision));
  return {
    key,
    namespace: '',
    name: key,
    revision,
    body,
    apiVersion: 'v1',
    labels: undefined,
    fields: undefined,
    uid: '',
    readable: true,
  };
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

describe('SortedItems', () => {
  it('behaves as a sorted map', () => {
    const key = fc
      .tuple(fc.constantFrom('a/', 'a-b/', 'ab/', 'b/', ''), fc.nat({ max: 400 }))
      .map(([namespace, n]) => `${namespace}${n}`);
    const steps = fc.array(fc.tuple(fc.boolean(), fc.array(key, { minLength: 1, maxLength: 900, size: 'max' })), {
      maxLength: 8,
      size: 'max',
    });
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom('', 'a/', 'a-b/', 'ab/', 'c/', 'a/7'),
        fc.option(key),
        fc.nat({ max: 50 }),
        (all, scope, after, limit) => {
          const model = new Map<string, Item>();
          const sorted = new SortedItems();
          let revision = 0;
          for (const [put, keys] of all) {
            for (const k of keys) {
              revision++;
              if (put) {
                const next = item(k, revision);
                assert.equal(sorted.set(next), model.get(k));
                model.set(k, next);
              } else {
                assert.equal(sorted.delete(k), model.get(k));
                model.delete(k);
              }
            }
          }
          const keys = [...model.keys()].sort(byBytes);
          const wanted = keys.filter((k) => inScope(scope, k));
          const rest = wanted.filter((k) => after === null || byBytes(k, after) > 0).map((k) => model.get(k));
          assert.equal(sorted.size, model.size);
          assert.equal(
            sorted.bytes,
            [...model.values()].reduce((sum, { body }) => sum + body.length, 0),
          );
          assert.deepEqual(
            sorted.range(scope),
            wanted.map((k) => model.get(k)),
          );
          assert.deepEqual(sorted.range(scope, after ?? undefined, limit), rest.slice(0, limit));
          assert.equal(sorted.count(scope, after ?? undefined), rest.length);
          const walk = sorted.walk(scope, after ?? undefined);
          for (const expected of [...rest, undefined]) assert.equal(walk(), expected);
          for (const k of keys) assert.equal(sorted.get(k), model.get(k));
          assert.equal(sorted.get('nothing'), undefined);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('sorts keys by bytes, as the store does', () => {
    const keys = ['z', '\u{1f600}', '\uffff', 'é', '\ue000', 'a'];
    const sorted = new SortedItems();
    for (const key of keys) sorted.set(item(key, 1));
    assert.deepEqual(
      sorted.range('').map(({ key }) => key),
      [...keys].sort(byBytes),
    );
    assert.deepEqual(
      sorted.range('', '\ue000').map(({ key }) => key),
      ['\uffff', '\u{1f600}'],
    );
  });

  it('keeps few chunks after many items are deleted', () => {
    const sorted = new SortedItems();
    for (let i = 0; i < 20_000; i++) sorted.set(item(`a/${(i * 7919) % 20_000}`, i));
    for (let i = 0; i < 20_000; i++) if (i % 100 !== 0) sorted.delete(`a/${i}`);
    assert.equal(sorted.size, 200);
    assert.equal(sorted.range('a/').length, 200);
    assert.equal(sorted.get('a/100')?.key, 'a/100');
  });
});
