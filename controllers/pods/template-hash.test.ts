import assert from 'node:assert/strict';
import { hashOf, withoutHash } from './template-hash.ts';

describe('the hash of a pod template', () => {
  it('does not depend on the order of fields', () => {
    assert.equal(hashOf({ a: 1, b: { c: [1, 2], d: 'x' } }), hashOf({ b: { d: 'x', c: [1, 2] }, a: 1, e: undefined }));
  });
  it('depends on values, on the order of lists, and on the collision count', () => {
    const hashes = [hashOf({ a: [1, 2] }), hashOf({ a: [2, 1] }), hashOf({ a: [1, 2] }, 1), hashOf({ a: [1] })];
    assert.equal(new Set(hashes).size, hashes.length);
  });
  it('is a valid label value without vowels', () => {
    assert.match(hashOf({}), /^[bcdfghjklmnpqrstvwxz2456789]{10}$/);
  });
  it('ignores the label with the hash', () => {
    const template = { metadata: { labels: { app: 'web', 'pod-template-hash': 'x' } } };
    assert.deepEqual(withoutHash(template), { metadata: { labels: { app: 'web' } } });
  });
});
