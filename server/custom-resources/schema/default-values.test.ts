import assert from 'node:assert/strict';
import type { JsonObject } from '#base/json/json-value.ts';
import { DefaultsTooLargeError, defaultValues } from './default-values.ts';
import { compiled } from './testing/schemas.ts';

const text = { type: 'string' };
const list = (items: object) => compiled({ type: 'object', properties: { l: { type: 'array', items } } });
const objectOf = (length: number): JsonObject => ({ l: Array.from({ length }, () => ({})) });
const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, { ...text, default: 'x' }]));

describe('defaults', () => {
  const rows: [what: string, properties: object][] = [
    ['many of them', many],
    ['long ones', { a: { ...text, default: 'x'.repeat(10_000) } }],
    ['some inside of others', { a: { type: 'object', default: {}, properties: many } }],
  ];
  for (const [what, properties] of rows) {
    it(`fill an object, but add no more than can be stored: ${what}`, () => {
      const schema = list({ type: 'object', properties });
      assert.equal(defaultValues(schema, objectOf(10)), true);
      const before = process.memoryUsage().heapUsed;
      assert.throws(() => defaultValues(schema, objectOf(100_000)), DefaultsTooLargeError);
      assert.ok(process.memoryUsage().heapUsed - before < 200e6);
    });
  }
});
