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
  ['sorted by name, with numbers by value', {}, ['db', 'web-2', 'web-10']],
  ['sorted by name in descending order', { descending: true }, ['web-10', 'web-2', 'db']],
  ['sorted by a numeric column, empty cells last', { sort: 2 }, ['web-10', 'web-2', 'db']],
  ['sorted by a text column, then by name', { sort: 1 }, ['web-2', 'db', 'web-10']],
  ['sorted by age, youngest first', { sort: 'age' }, ['web-2', 'db', 'web-10']],
  ['sorted by an unknown column', { sort: 9 }, ['db', 'web-2', 'web-10']],
  ['with a word in a cell', { filter: 'RUNNING' }, ['db', 'web-10']],
  ['with a label', { filter: 'tier=front' }, ['web-2']],
  ['with two words', { filter: 'web run' }, ['web-10']],
  ['with a word that no row has', { filter: 'gone' }, []],
  ['of a window', { from: 1, count: 1 }, ['web-2']],
  ['of a window after the end', { from: 90, count: 5 }, ['web-10']],
];

describe('TableView shows rows', () => {
  for (const [what, look, expected] of looks)
    it(what, () => {
      const view = new TableView();
      view.replace(rows);
      view.show({ ...FIRST_LOOK, ...look });
      assert.deepEqual(names(view), expected);
    });

  it('after changes in the same way as a new view of all rows', () => {
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
