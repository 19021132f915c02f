import assert from 'node:assert/strict';
import { JsonNumber } from '#base/json/json-value.ts';
import type { Table } from '#client/tables/table-answer.ts';
import { cellsOf } from './tables.ts';

describe('cells of tables', () => {
  const look = {
    wide: true,
    withNamespace: false,
    withKind: false,
    labelColumns: [],
    showLabels: false,
    noHeaders: false,
  };
  const type = { group: '', version: 'v1', kind: 'Thing', plural: 'things' } as never;
  const cases: readonly (readonly [cell: unknown, text: string])[] = [
    [null, ''],
    [undefined, ''],
    ['', ''],
    [0, '0'],
    [1.5, '1.5'],
    [new JsonNumber('9007199254740993'), '9007199254740993'],
    [false, 'false'],
    [['a', 1], '[a 1]'],
    [{ b: 1, a: null }, 'map[a:<nil> b:1]'],
    ['one\ntwo', 'one...'],
  ];
  for (const [cell, text] of cases)
    it(`show ${String(cell)} as ${JSON.stringify(text)}`, () => {
      const table = { kind: 'Table', columnDefinitions: [{ name: 'A', priority: 0 }], rows: [] } as Table;
      assert.deepEqual(cellsOf({ cells: [cell] }, table, type, look), [text]);
    });
});
