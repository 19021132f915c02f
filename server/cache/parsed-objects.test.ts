import assert from 'node:assert/strict';
import { itemOf } from './item.ts';
import { ParsedObjects } from './parsed-objects.ts';

function item(name: string) {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } };
  return itemOf(name, Buffer.from(JSON.stringify(object)), 1)!;
}

describe('ParsedObjects', () => {
  const [a, b] = [item('a'), item('b')];

  it('parses each object once', () => {
    const objects = new ParsedObjects(1 << 20);
    assert.deepEqual(objects.get(a), { metadata: { name: 'a', resourceVersion: '1' } });
    assert.equal(objects.get(a), objects.get(a));
  });

  it('removes the least recently used object if it is full', () => {
    const objects = new ParsedObjects(a.body.length * 6);
    const first = objects.get(a);
    objects.get(b);
    assert.notEqual(objects.get(a), first);
    assert.equal(objects.bytes, a.body.length * 6);
  });

  it('returns a lent object until `takeBack`, and parses it from then on', () => {
    const objects = new ParsedObjects(1 << 20);
    const lent = { metadata: {} };
    objects.lend(a, lent);
    assert.deepEqual([objects.get(a) === lent, objects.once(a) === lent, objects.bytes], [true, true, 0]);
    objects.takeBack();
    assert.deepEqual(objects.get(a), { metadata: { name: 'a', resourceVersion: '1' } });
  });
});
