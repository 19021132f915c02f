import assert from 'node:assert/strict';
import { goPrint } from './go-print.ts';
import { JsonNumber, type JsonValue } from './json-value.ts';

describe('goPrint', () => {
  const rows: [value: JsonValue, text: string][] = [
    [{ b: [1, 'x', true, null], a: {} }, 'map[a:map[] b:[1 x true <nil>]]'],
    [new JsonNumber('1.50'), '1.50'],
    [[], '[]'],
  ];
  for (const [value, text] of rows) it(text, () => assert.equal(goPrint(value), text));
});
