import assert from 'node:assert/strict';
import { JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import { customTable } from './columns.ts';

const TYPE_META = { kind: 'Widget', apiVersion: 'example.com/v1' };
const spec = {
  a: 'x',
  n: 5,
  f: 1.5,
  b: true,
  nul: null,
  big: new JsonNumber('9007199254740993'),
  l: ['p', 'q'],
  m: { x: { y: 'in' }, 'x.y': 'dotted' },
  o: { k: 1 },
  deep: [{ z: 1, b: { d: null, c: 2 } }],
  empty: '',
};

/** The cell of a column for an object with this spec. */
const CELLS: [type: string, path: string, cell: unknown][] = [
  ['string', '.spec.a', 'x'],
  ['string', '.spec.n', '5'],
  ['string', '.spec.o', '{"k":1}'],
  ['string', '.spec.deep', '[{"b":{"c":2,"d":null},"z":1}]'],
  ['string', '.', null],
  ['string', '.spec.', null],
  ['string', '.spec.nul', '<no value>'],
  ['string', '.spec.missing', null],
  ['integer', '.spec.nul', null],
  ['integer', '.spec.big', new JsonNumber('9007199254740993')],
  ['integer', '.spec.f', 1],
  ['number', '.spec.f', 1.5],
  ['boolean', '.spec.b', true],
  ['boolean', '.spec.a', null],
  ['date', '.spec.a', '<invalid>'],
  ['date', '.spec.empty', '<unknown>'],
  ['string', '.spec.l[-1]', 'q'],
  ['string', ".spec.m['x.y']", 'in'],
  ['string', ".spec.m['x\\.y']", 'dotted'],
  ['string', ".spec['missing','b','a']", 'true'],
  ['string', '.spec.l[5,1,0]', 'q'],
  ['string', '.spec.l[1:]', 'q'],
  ['string', '.spec.l[-1:]', 'q'],
  ['string', '.spec.l[0:2:2]', 'p'],
  ['string', '.spec.m.*', '{"y":"in"}'],
  ['string', '.spec..c', '2'],
  ['string', '.spec.deep[?(@.b.c==2)].z', '1'],
  ['string', '.spec.deep[?(@.b.c>2)].z', null],
  ['string', '.spec.deep[?(@.b)].z', '1'],
  ['string', '.spec.deep[?(@.b=="x")].z', null],
  ['string', '.spec.l[?(@=="q")]', 'q'],
  ['string', '.kind', 'Widget'],
  ['string', '.apiVersion', 'example.com/v1'],
];

const nested = (depth: number): JsonValue => (depth === 0 ? [1] : { x: nested(depth - 1) });
const many = (length: number): JsonValue => Array.from({ length }, () => 1);

/** Column paths in one user's definition that would take seconds or longer without limits, and the resulting cell. */
const COSTLY: [what: string, path: string, v: JsonValue, cell: unknown][] = [
  ['a name ten times, repeated 20 times', `.v${`[${Array(10).fill("'x'")}]`.repeat(20)}.y`, nested(100), null],
  ['an index ten times, repeated 20 times', `.v${`[${Array(10).fill(0)}]`.repeat(20)}.y`, [[[[[1]]]]], null],
  ['recursive descent a hundred times', `.v${'..x'.repeat(100)}.y`, nested(200), null],
  ['recursive descent in a long list', '.v..a', many(300_000), null],
  ['a filter in a filter', '.v[?(@..[?(@..a==1)])]', Array(2_000).fill(many(500)) as JsonValue, null],
  ['a comparison with long strings', '.v[?(@=="x")]', Array(3_000).fill(['y'.repeat(10_000)]) as JsonValue, null],
  ['a string of the maximum size of an object', '.v', 'x'.repeat(1_500_000), 'x'.repeat(1_500_000)],
  ['a list whose text is larger than an object', '.v', many(300_000), null],
];

/** Paths that are not evaluated. Their objects are shown only with name and age. */
const UNREADABLE: [what: string, path: string][] = [
  ['too many steps', '.a'.repeat(1_000)],
  ['many recursive descents without a name', '..'.repeat(50_000)],
  ['a name in quotes with many dots', `['${'a.'.repeat(50_000)}a']`],
  ['filters in filters', `.v${'[?(@'.repeat(3_000)}.a${')]'.repeat(3_000)}`],
  ['brackets that are not closed', `.v${'[?(@'.repeat(20_000)}`],
];

describe('printer columns of custom objects', () => {
  for (const [type, jsonPath, cell] of CELLS) {
    it(`${jsonPath} as ${type}: ${stringify(cell as JsonValue)}`, () => {
      const { cells } = customTable([{ name: 'c', type, jsonPath }], TYPE_META);
      assert.deepEqual(cells({ metadata: { name: 'w' }, spec } as never, 0), ['w', cell]);
    });
  }

  for (const [what, jsonPath, v, cell] of COSTLY) {
    it(`cost at most the limit of a row: ${what}`, () => {
      const column = { name: 'c', type: 'string', jsonPath };
      const { cells } = customTable([column], TYPE_META);
      assert.deepEqual(cells({ metadata: { name: 'w' }, v } as never, 0), ['w', cell]);
    });
  }

  it('share the cost limit of a row, and keep the cells found before the limit', () => {
    const columns = ['.a', '.v..a', '.a', '.a'].map((jsonPath) => ({ name: 'c', type: 'string', jsonPath }));
    const { cells } = customTable(columns, TYPE_META);
    const [name, ...shown] = cells({ metadata: { name: 'w' }, a: 'x', v: many(300_000) } as never, 0);
    assert.deepEqual([name, shown], ['w', ['x', null, null, null]]);
    const texts = Array.from({ length: 20 }, () => ({ name: 'c', type: 'string', jsonPath: '.a' }));
    const long = customTable(texts, TYPE_META).cells({ metadata: {}, a: 'x'.repeat(1_000_000) } as never, 0);
    assert.equal(long.filter((cell) => cell !== null && cell !== '').length, 3);
  });

  for (const [what, jsonPath] of UNREADABLE) {
    it(`are left out if their path is invalid: ${what}`, () => {
      const { columns } = customTable([{ name: 'c', type: 'string', jsonPath }], TYPE_META);
      assert.deepEqual(
        columns.map(({ name }) => name),
        ['Name', 'Age'],
      );
    });
  }

  it('have the description of the definition', () => {
    const { columns } = customTable([{ name: 'c', type: 'string', jsonPath: '.a', description: 'told' }], TYPE_META);
    assert.deepEqual(columns[1], { name: 'c', type: 'string', format: '', priority: 0, description: 'told' });
    const [, shown] = customTable([{ name: 'c', type: 'string', jsonPath: '.a' }], TYPE_META).columns;
    assert.equal(shown?.description, 'Custom resource definition column (in JSONPath format): .a');
    const [, age] = customTable(undefined, TYPE_META).columns;
    assert.deepEqual(age, { name: 'Age', type: 'date', format: '', priority: 0, description: '' });
  });
});
