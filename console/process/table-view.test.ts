import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Row, rowOf } from './row.ts';
import { FIRST_LOOK, type Look, TableView } from './table-view.ts';

let version = 0;
const row = (name: string, cells: readonly unknown[], more: object = {}): Row =>
  rowOf({ metadata: { name, uid: name, namespace: 'default', ...more }, cells }, ++version);
const byUid = (rows: readonly Row[]): Map<string, Row> => new Map(rows.map((one) => [one.uid, one]));
const names = (view: TableView): string[] => view.window.map(({ name }) => name);

const rows = byUid([
  row('web-10', ['web-10', 'Running', 3], { creationTimestamp: '2026-01-01T00:00:00Z' }),
  row('web-2', ['web-2', 'Pending', 20], { creationTimestamp: '2026-01-03T00:00:00Z', labels: { tier: 'front' } }),
  row('db', ['db', 'Running', null], { creationTimestamp: '2026-01-02T00:00:00Z' }),
]);

const looks: readonly [what: string, look: Partial<Look>, names: readonly string[]][] = [
  ['by name, numbers by their value', {}, ['db', 'web-2', 'web-10']],
  ['by name, downwards', { descending: true }, ['web-10', 'web-2', 'db']],
  ['by a column of numbers, nothing last', { sort: 2 }, ['web-10', 'web-2', 'db']],
  ['by a column of texts, then by name', { sort: 1 }, ['web-2', 'db', 'web-10']],
  ['by age, the youngest first', { sort: 'age' }, ['web-2', 'db', 'web-10']],
  ['by a column that is not there', { sort: 9 }, ['db', 'web-2', 'web-10']],
  ['with a word in a cell', { filter: 'RUNNING' }, ['db', 'web-10']],
  ['with a label', { filter: 'tier=front' }, ['web-2']],
  ['with two words', { filter: 'web run' }, ['web-10']],
  ['with a word that is nowhere', { filter: 'gone' }, []],
  ['a window', { from: 1, count: 1 }, ['web-2']],
  ['a window behind the end', { from: 90, count: 5 }, ['web-10']],
];

describe('a look at a table', () => {
  for (const [what, look, expected] of looks)
    it(what, () => {
      const view = new TableView();
      view.replace(rows);
      view.show({ ...FIRST_LOOK, ...look });
      assert.deepEqual(names(view), expected);
    });

  it('after any changes is the same as a look at the whole', () => {
    const change = fc.record({
      name: fc.integer({ min: 0, max: 30 }),
      cell: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
    });
    const look = fc.record({ sort: fc.constantFrom<Look['sort']>('name', 0, 'age'), filter: fc.constantFrom('', '1') });
    fc.assert(
      fc.property(
        fc.array(fc.array(change, { maxLength: 20 }), { maxLength: 6 }),
        look,
        (batches, { sort, filter }) => {
          const all = new Map<string, Row>();
          const whole = { ...FIRST_LOOK, sort, filter, count: 1_000 };
          const followed = new TableView();
          followed.show(whole);
          for (const batch of batches) {
            const changes = new Map<string, Row | undefined>();
            for (const { name, cell } of batch)
              changes.set(`n${name}`, cell === undefined ? undefined : row(`n${name}`, [cell]));
            for (const [uid, one] of changes)
              if (one === undefined) all.delete(uid);
              else all.set(uid, one);
            followed.change(changes);
          }
          const fresh = new TableView();
          fresh.show(whole);
          fresh.replace(all);
          assert.deepEqual(names(followed), names(fresh));
        },
      ),
    );
  });
});
