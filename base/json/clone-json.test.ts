import assert from 'node:assert/strict';
import { cloneJson } from './clone-json.ts';
import { JsonNumber, type JsonValue } from './json-value.ts';

describe('cloneJson', () => {
  it('makes a deep copy that shares nothing with the original', () => {
    const value = { a: [1, { b: null }], c: 'x' };
    const copy = cloneJson(value);
    assert.deepEqual(copy, value);
    assert.notEqual(copy.a, value.a);
    assert.notEqual(copy.a[1], value.a[1]);
  });

  it('keeps JsonNumber texts and keys such as __proto__', () => {
    const value = { n: new JsonNumber('9223372036854775807') };
    assert.equal(cloneJson(value).n.text, '9223372036854775807');
    const odd = JSON.parse('{"__proto__":{"x":1}}') as JsonValue;
    assert.equal(JSON.stringify(cloneJson(odd)), '{"__proto__":{"x":1}}');
  });
});
