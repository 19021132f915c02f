import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { CachedResource } from './cached-resource.ts';
import { History } from './history.ts';
import { itemOf } from './item.ts';
import { SortedItems } from './sorted-items.ts';
import type { CacheHost } from './watcher-group.ts';

type Labels = Record<string, string>;

const ROUNDS = 200;

/** A resource after some changes. Undefined labels delete an object. */
function resource() {
  const cache = new CachedResource({ frontier: 0 } as unknown as CacheHost);
  let revision = 0;
  const change = (key: string, labels: Labels | undefined): void => {
    revision++;
    const value = JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name: key, labels } });
    cache.apply(revision, key, labels && itemOf(key, Buffer.from(value), revision), 0);
  };
  return { cache, change };
}

const many = (count: number, labels: (n: number) => Labels) =>
  Array.from({ length: count }, (_, n) => [`a/${String(n).padStart(3, '0')}`, labels(n)] as const);

describe('the index of labels and fields', () => {
  it('finds the same items as a search through all items, after any changes', () => {
    const value = fc.constantFrom('x', 'y', '');
    const labels = fc.option(fc.dictionary(fc.constantFrom('app', 'tier', 'toString'), value), { nil: undefined });
    const key = fc.integer({ min: 0, max: 99 }).map((n) => `${n % 3 === 0 ? 'a' : 'b'}/${String(n).padStart(3, '0')}`);
    const asked = fc.tuple(fc.constantFrom('', 'a/', 'b/'), fc.constantFrom('app', 'tier', 'toString'), value);
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.tuple(key, labels), asked), { maxLength: 300, size: 'max' }), (steps) => {
        const { cache, change } = resource();
        for (const [name, labels] of many(100, () => ({}))) change(name, labels);
        for (const step of steps) {
          if (step.length === 2) change(...step);
          else {
            const [scope, label, wanted] = step;
            const found = cache.matching(scope, { of: 'label', name: label, value: wanted });
            const has = (labels: Labels = {}) => Object.hasOwn(labels, label) && labels[label] === wanted;
            if (found !== undefined)
              assert.deepEqual(
                found,
                cache.range(scope).filter((item) => has(item.labels)),
              );
          }
        }
      }),
      { numRuns: ROUNDS },
    );
  });

  it('is built when a list uses a label for the second time, and only answers for rare values', () => {
    const { cache, change } = resource();
    for (const [name, labels] of many(100, (n) => ({ rare: String(n % 50), common: String(n % 2) })))
      change(name, labels);
    assert.equal(cache.matching('', { of: 'label', name: 'rare', value: '7' }), undefined);
    assert.deepEqual(
      cache.matching('', { of: 'label', name: 'rare', value: '7' })?.map((item) => item.key),
      ['a/007', 'a/057'],
    );
    assert.deepEqual(cache.matching('b/', { of: 'label', name: 'rare', value: '7' }), []);
    assert.deepEqual(cache.matching('', { of: 'label', name: 'rare', value: 'none' }), []);
    assert.equal(cache.matching('', { of: 'label', name: 'common', value: '1' }), undefined);
    assert.equal(cache.matching('', { of: 'label', name: 'common', value: '1' }), undefined);
  });

  it('forgets the least recently used labels, and all labels when the cache is filled again', () => {
    const { cache, change } = resource();
    for (const [name, labels] of many(20, (n) => ({ rare: String(n) }))) change(name, labels);
    for (const label of ['rare', 'a', 'b', 'c', 'd']) cache.matching('', { of: 'label', name: label, value: '7' });
    assert.equal(cache.matching('', { of: 'label', name: 'rare', value: '7' }), undefined);
    assert.equal(cache.matching('', { of: 'label', name: 'rare', value: '7' })?.length, 1);
    cache.fill(new SortedItems(), new History(0));
    assert.equal(cache.matching('', { of: 'label', name: 'rare', value: '7' }), undefined);
    assert.deepEqual(cache.matching('', { of: 'label', name: 'rare', value: '7' }), []);
  });

  it('finds items by the value of a field or its absence, and follows changes', () => {
    const cache = new CachedResource({ frontier: 0 } as unknown as CacheHost);
    const extract = (object: ApiObject) => {
      const { node } = object['spec'] as { node?: string };
      return node === undefined ? {} : { 'spec.node': node };
    };
    let revision = 0;
    const change = (name: string, node?: string): void => {
      const value = JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name }, spec: { node } });
      cache.apply(++revision, name, itemOf(name, Buffer.from(value), revision, extract), 0);
    };
    const on = (value: string) =>
      cache.matching('', { of: 'field', name: 'spec.node', value })?.map(({ name }) => name);
    for (let n = 0; n < 40; n++) change(`p${n}`, `node-${n % 20}`);
    assert.equal(on('node-3'), undefined, 'asked for the first time');
    assert.deepEqual(on('node-3'), ['p23', 'p3']);
    change('p3', 'node-4');
    change('p5');
    assert.deepEqual([on('node-3'), on('node-4'), on('')], [['p23'], ['p24', 'p3', 'p4'], ['p5']]);
  });
});
