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
    ['many defaults', many],
    ['long defaults', { a: { ...text, default: 'x'.repeat(10_000) } }],
    ['defaults inside of defaults', { a: { type: 'object', default: {}, properties: many } }],
  ];
  for (const [what, properties] of rows) {
    it(`are added to an object, but not more than the store accepts: ${what}`, () => {
      const schema = list({ type: 'object', properties });
      assert.equal(defaultValues(schema, objectOf(10)), true);
      const before = process.memoryUsage().heapUsed;
      assert.throws(() => defaultValues(schema, objectOf(100_000)), DefaultsTooLargeError);
      assert.ok(process.memoryUsage().heapUsed - before < 200e6);
    });
  }
});
