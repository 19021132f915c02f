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

/** What a column shows of an object of this spec. */
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
  ['string', '.kind', 'Widget'],
  ['string', '.apiVersion', 'example.com/v1'],
];

describe('columns of custom objects', () => {
  for (const [type, jsonPath, cell] of CELLS) {
    it(`${jsonPath} as ${type}: ${stringify(cell as JsonValue)}`, () => {
      const { cells } = customTable([{ name: 'c', type, jsonPath }], TYPE_META);
      assert.deepEqual(cells({ metadata: { name: 'w' }, spec } as never, 0), ['w', cell]);
    });
  }

  it('say what the definition says of them', () => {
    const { columns } = customTable([{ name: 'c', type: 'string', jsonPath: '.a', description: 'told' }], TYPE_META);
    assert.deepEqual(columns[1], { name: 'c', type: 'string', format: '', priority: 0, description: 'told' });
    const [, shown] = customTable([{ name: 'c', type: 'string', jsonPath: '.a' }], TYPE_META).columns;
    assert.equal(shown?.description, 'Custom resource definition column (in JSONPath format): .a');
    const [, age] = customTable(undefined, TYPE_META).columns;
    assert.deepEqual(age, { name: 'Age', type: 'date', format: '', priority: 0, description: '' });
  });
});
