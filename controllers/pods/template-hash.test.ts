import assert from 'node:assert/strict';
import { hashOf, withoutHash } from './template-hash.ts';

describe('the hash of a template', () => {
  it('does not depend on the order of members', () => {
    assert.equal(hashOf({ a: 1, b: { c: [1, 2], d: 'x' } }), hashOf({ b: { d: 'x', c: [1, 2] }, a: 1, e: undefined }));
  });
  it('differs with values, with the order of lists, and with collisions', () => {
    const hashes = [hashOf({ a: [1, 2] }), hashOf({ a: [2, 1] }), hashOf({ a: [1, 2] }, 1), hashOf({ a: [1] })];
    assert.equal(new Set(hashes).size, hashes.length);
  });
  it('is a value of a label that makes no words', () => {
    assert.match(hashOf({}), /^[bcdfghjklmnpqrstvwxz2456789]{10}$/);
  });
  it('leaves the label out that pods get', () => {
    const template = { metadata: { labels: { app: 'web', 'pod-template-hash': 'x' } } };
    assert.deepEqual(withoutHash(template), { metadata: { labels: { app: 'web' } } });
  });
});
