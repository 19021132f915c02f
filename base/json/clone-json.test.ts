import assert from 'node:assert/strict';
import { cloneJson } from './clone-json.ts';
import { JsonNumber, type JsonValue } from './json-value.ts';

describe('cloneJson', () => {
  it('copies what can be changed and shares nothing', () => {
    const value = { a: [1, { b: null }], c: 'x' };
    const copy = cloneJson(value);
    assert.deepEqual(copy, value);
    assert.notEqual(copy.a, value.a);
    assert.notEqual(copy.a[1], value.a[1]);
  });

  it('keeps numbers that are texts, and keys that objects inherit', () => {
    const value = { n: new JsonNumber('9223372036854775807') };
    assert.equal(cloneJson(value).n.text, '9223372036854775807');
    const odd = JSON.parse('{"__proto__":{"x":1}}') as JsonValue;
    assert.equal(JSON.stringify(cloneJson(odd)), '{"__proto__":{"x":1}}');
  });
});
