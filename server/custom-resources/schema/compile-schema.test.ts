import assert from 'node:assert/strict';
import { JsonNumber } from '#base/json/json-value.ts';
import { compiled } from './testing/schemas.ts';

const properties = (values: object) => compiled({ type: 'object', properties: values }).properties;

describe('a compiled schema', () => {
  it('contains equal values only once', () => {
    const text = { type: 'string', maxLength: 3 };
    const made = properties({
      a: { ...text, description: 'one' },
      b: { ...text, description: 'another' },
      c: { ...text, maxLength: 4 },
      d: { ...text, default: 'd' },
    });
    assert.equal(made.get('a'), made.get('b'));
    assert.equal(new Set(made.values()).size, 3);
    assert.deepEqual([made.get('c')?.limits?.maxLength, made.get('d')?.default], [4, 'd']);
  });

  it('distinguishes numbers that are equal as doubles', () => {
    const most = (digits: string) => ({
      type: 'integer',
      maximum: new JsonNumber(digits),
      default: new JsonNumber(digits),
    });
    const made = properties({ a: most('9223372036854775806'), b: most('9223372036854775807') });
    assert.deepEqual(
      ['a', 'b'].map((name) => String(made.get(name)?.default)),
      ['9223372036854775806', '9223372036854775807'],
    );
  });

  it('records which features it contains at any depth', () => {
    const inner = { type: 'object', properties: { a: { type: 'string', default: 'd' } } };
    const { holds } = compiled({ type: 'object', properties: { l: { type: 'array', items: inner } } });
    assert.deepEqual(holds, { defaults: true, rules: false, embedded: false, keyedLists: false });
  });
});
