import assert from 'node:assert/strict';
import { check } from './check.ts';
import type { Change, Law, Operation, WatchEvent } from './history.ts';
import {
  A,
  all,
  at,
  B,
  bookmark,
  C,
  change,
  drop,
  event,
  events,
  final,
  list,
  page,
  pages,
  put,
  read,
  removed,
  truth,
  unknown,
  watch,
  without,
  write,
  writes,
} from './testing/histories.ts';

interface Row {
  readonly name: string;
  readonly operations: readonly Operation[];
  readonly truth?: readonly Change[];
  /** The law that is violated once. Undefined means none. */
  readonly breaks?: Law;
}

const rows: Readonly<Record<string, readonly Row[]>> = {
  'the record': [
    { name: 'is complete', operations: writes },
    {
      name: 'lacks a change that a later one replaces',
      truth: [...truth, put(20, A, 'a9', 15)],
      operations: [...writes, write('update', [70, 71], A, 'a9', 20)],
      breaks: 'truth',
    },
  ],
  writes: [
    { name: 'acknowledged but not stored', truth: without(8), operations: writes, breaks: 'lost' },
    {
      name: 'acknowledged at another revision',
      operations: change('create', C, { outcome: { kind: 'done', revision: 7 } }),
      breaks: 'lost',
    },
    {
      name: 'an acknowledged delete that was not stored',
      truth: without(6, 9),
      operations: writes.slice(0, 5),
      breaks: 'lost',
    },
    {
      name: 'stored twice',
      truth: [...truth, put(12, C, 'c2', 8), put(13, C, 'c1', 12)],
      operations: [...writes, write('patch', [70, 71], C, 'c2', 12)],
      breaks: 'twice',
    },
    {
      name: 'one delete acknowledged to two clients',
      operations: [...writes, write('delete', [40, 42], B, 'd2', removed(`${B}!`))],
      breaks: 'twice',
    },
    {
      name: 'refused but stored',
      operations: change('create', C, { outcome: { kind: 'refused', status: 503 } }),
      breaks: 'refused',
    },
    { name: 'with an unknown outcome, and stored', operations: change('create', C, { outcome: unknown }) },
    {
      name: 'with an unknown outcome, and not stored',
      operations: [...writes, write('patch', [70, 71], C, 'c9', unknown)],
    },
    {
      name: 'with an unknown outcome, and stored after all clients have left',
      truth: [...truth, put(20, C, 'c9', 8)],
      operations: [...writes, write('patch', [70, 71], C, 'c9', unknown), read([80, 81], C, [8, 'c1'])],
    },
    { name: 'stored without a client', truth: [...truth, put(20, C, 'c9', 8)], operations: writes, breaks: 'invented' },
    { name: 'deleted without a client', truth: [...truth, drop(20, C, 8)], operations: writes, breaks: 'invented' },
    {
      name: 'deleted by a delete with an unknown outcome',
      truth: [...truth, drop(20, C, 8)],
      operations: [...writes, write('delete', [70, 71], C, 'd', unknown)],
    },
    {
      name: 'deleted twice by one delete with an unknown outcome',
      truth: [...truth, drop(20, C, 8), put(21, C, 'c2', 0, 'red', 'c again'), drop(22, C, 21)],
      operations: [...writes, write('delete', [70, 95], C, 'd', unknown), write('create', [80, 81], C, 'c2', 21)],
      breaks: 'invented',
    },
    { name: 'deleted when a lease expires', truth: [...truth, drop(20, C, 8, true)], operations: writes },
    {
      name: 'an update that overwrites another one',
      truth: [...truth, put(12, C, 'c2', 8), put(13, C, 'c3', 12)],
      operations: [...writes, write('update', [70, 72], C, 'c2', 12, 8), write('update', [70, 72], C, 'c3', 13, 8)],
      breaks: 'compared',
    },
    {
      name: 'a create that overwrites an object',
      truth: [...truth, put(12, C, 'c2', 8)],
      operations: [...writes, write('create', [70, 71], C, 'c2', 12)],
      breaks: 'compared',
    },
    {
      name: 'a delete of another revision than expected',
      operations: change('delete', B, { expected: 2 }),
      breaks: 'compared',
    },
    {
      name: 'stored before an earlier acknowledged write',
      operations: change('create', A, { called: 32, returned: 33 }).slice(0, 2),
      truth: truth.slice(0, 2),
      breaks: 'recent',
    },
  ],
  'reads of most recent': [
    { name: 'after the write', operations: [...writes, read([32, 33], A, [5, 'a2'])] },
    { name: 'during the write, old value', operations: [...writes, read([29, 32], A, [1, 'a1'])] },
    { name: 'during the write, new value', operations: [...writes, read([29, 30.5], A, [5, 'a2'])] },
    {
      name: 'older than an acknowledged write',
      operations: [...writes, read([32, 33], A, [1, 'a1'])],
      breaks: 'recent',
    },
    {
      name: 'older than an earlier read',
      operations: [...writes, read([29, 30.2], A, [5, 'a2']), read([30.5, 30.7], A, [1, 'a1'])],
      breaks: 'recent',
    },
    {
      name: 'older than a watch event',
      operations: [
        ...change('create', B, { outcome: unknown }).slice(0, 2),
        watch(1, [{ ...event('ADDED', B, 3, 'b1'), at: 22 } as WatchEvent]),
        read([23, 24], B, undefined),
      ],
      truth: truth.slice(0, 2),
      breaks: 'recent',
    },
    { name: 'before it was written', operations: [...writes, read([25, 26], A, [5, 'a2'])], breaks: 'future' },
    {
      name: 'of a value that was never stored',
      operations: [...writes, read([32, 33], A, [5, 'a0'])],
      breaks: 'invented',
    },
    { name: 'absent, between a delete and a create', operations: [...writes, read([42, 43], B, undefined)] },
    { name: 'absent, although it exists', operations: [...writes, read([22, 23], B, undefined)], breaks: 'recent' },
    {
      name: 'present, although it is deleted',
      operations: [...writes, read([42, 43], B, [3, 'b1'])],
      breaks: 'recent',
    },
    { name: 'any version', operations: [...writes, read([62, 63], A, [1, 'a1'], { kind: 'any' })] },
    {
      name: 'not older than',
      operations: [...writes, read([62, 63], A, [1, 'a1'], { kind: 'notOlder', revision: 4 })],
    },
    {
      name: 'older than asked for',
      operations: [...writes, read([62, 63], A, [1, 'a1'], { kind: 'notOlder', revision: 5 })],
      breaks: 'version',
    },
    {
      name: 'absent, older than asked for',
      operations: [...writes, read([62, 63], A, undefined, { kind: 'notOlder', revision: 5 })],
      breaks: 'version',
    },
  ],
  'refusals because of the state': [
    {
      name: 'conflict with an existing object',
      operations: [...writes, write('create', [42, 43], A, 'x', { kind: 'exists' })],
    },
    {
      name: 'conflict with an object that is deleted',
      operations: [...writes, write('create', [42, 43], B, 'x', { kind: 'exists' })],
      breaks: 'recent',
    },
    {
      name: 'absent, although it exists',
      operations: [...writes, write('patch', [62, 63], B, 'x', { kind: 'absent' })],
      breaks: 'recent',
    },
    { name: 'changed', operations: [...writes, write('update', [32, 33], A, 'x', { kind: 'changed' }, 1)] },
    {
      name: 'conflict, although nothing changed',
      operations: [...writes, write('update', [32, 33], A, 'x', { kind: 'changed' }, 5)],
      breaks: 'recent',
    },
  ],
  lists: [
    { name: 'equal to the replayed state', operations: [...writes, list([62, 63], 9, final)] },
    { name: 'at a revision without a change', operations: [...writes, list([62, 63], 12, final)] },
    { name: 'with a missing object', operations: [...writes, list([62, 63], 9, final.slice(1))], breaks: 'snapshot' },
    {
      name: 'with an older value',
      operations: [...writes, list([62, 63], 9, [final[0]!, [A, 1, 'a1'], final[2]!])],
      breaks: 'snapshot',
    },
    {
      name: 'older than an acknowledged write',
      operations: [...writes, list([62, 63], 8, final.slice(0, 2))],
      breaks: 'recent',
    },
    {
      name: 'of a label',
      operations: [...writes, list([62, 63], 9, [final[0]!, final[2]!], { kind: 'recent' }, { ...all, color: 'red' })],
    },
    {
      name: 'at an exact revision',
      operations: [
        ...writes,
        list(
          [62, 63],
          4,
          [
            [A, 1, 'a1'],
            [B, 3, 'b1'],
          ],
          { kind: 'exact', revision: 4 },
        ),
      ],
    },
    {
      name: 'at an exact revision, but answered at another one',
      operations: [...writes, list([62, 63], 9, final, { kind: 'exact', revision: 4 })],
      breaks: 'version',
    },
    {
      name: 'older than asked for',
      operations: [...writes, list([62, 63], 8, final.slice(0, 2), { kind: 'notOlder', revision: 9 })],
      breaks: 'version',
    },
  ],
  pages: [
    {
      name: 'of one snapshot',
      operations: [
        ...writes,
        pages(2, page(9, final.slice(0, 2), true, { remaining: 1 }), page(9, final.slice(2), false)),
      ],
    },
    { name: 'that are not read to the end', operations: [...writes, pages(2, page(9, final.slice(0, 2), true))] },
    {
      name: 'with an object twice',
      operations: [...writes, pages(2, page(9, final.slice(0, 2), true), page(9, final.slice(1), false))],
      breaks: 'pages',
    },
    {
      name: 'without one object',
      operations: [...writes, pages(1, page(9, [final[0]!], true), page(9, [final[2]!], false))],
      breaks: 'pages',
    },
    {
      name: 'of another snapshot',
      operations: [...writes, pages(2, page(9, final.slice(0, 2), true), page(10, final.slice(2), false))],
      breaks: 'pages',
    },
    {
      name: 'with a wrong remaining count',
      operations: [...writes, pages(2, page(9, final.slice(0, 2), true, { remaining: 4 }))],
      breaks: 'pages',
    },
    {
      name: 'that continue at the newest version after 410',
      operations: [
        ...writes,
        write('update', [105, 106], B, 'b3', 12),
        pages(2, page(9, final.slice(0, 2), true), page(12, [[B, 12, 'b3']], false, { again: true, ...at(107, 108) })),
      ],
      truth: [...truth, put(12, B, 'b3', 9)],
    },
    {
      name: 'that continue after 410 with an old state',
      operations: [
        ...writes,
        write('update', [105, 106], B, 'b3', 12),
        pages(2, page(9, final.slice(0, 2), true), page(9, [final[2]!], false, { again: true, ...at(107, 108) })),
      ],
      truth: [...truth, put(12, B, 'b3', 9)],
      breaks: 'recent',
    },
  ],
  watches: [
    { name: 'from the beginning', operations: [...writes, watch(0, events)] },
    { name: 'that ends early', operations: [...writes, watch(0, events.slice(0, 3))] },
    { name: 'resumed', operations: [...writes, watch(0, events.slice(0, 3)), watch(5, events.slice(3))] },
    { name: 'from a compacted revision', operations: [...writes, watch(1, [], { kind: 'gone' })] },
    { name: 'with a skipped event', operations: [...writes, watch(0, events.toSpliced(2, 1))], breaks: 'watch' },
    { name: 'resumed after a skipped event', operations: [...writes, watch(5, events.slice(4))], breaks: 'watch' },
    { name: 'with a repeated event', operations: [...writes, watch(0, [...events, events[5]!])], breaks: 'watch' },
    {
      name: 'out of order',
      operations: [...writes, watch(5, [events[4]!, events[3]!, events[5]!])],
      breaks: 'watch',
    },
    {
      name: 'with the wrong type',
      operations: [...writes, watch(5, [event('MODIFIED', B, 6, 'b1')])],
      breaks: 'watch',
    },
    { name: 'with a bookmark', operations: [...writes, watch(5, [events[3]!, bookmark(7), events[4]!])] },
    {
      name: 'with a bookmark that is too early',
      operations: [...writes, watch(5, [events[3]!, bookmark(8), events[4]!])],
      breaks: 'watch',
    },
    {
      name: 'with all events up to the settled revision',
      operations: [...writes, watch(5, events.slice(3), { kind: 'settled', reached: 9 })],
    },
    {
      name: 'that stalls',
      operations: [...writes, watch(5, events.slice(3, 5), { kind: 'settled', reached: 9 })],
      breaks: 'watch',
    },
    {
      name: 'by a label that is removed',
      operations: [
        ...writes,
        watch(
          0,
          [...events.slice(0, 2), event('DELETED', A, 5, 'a1'), ...events.slice(3)],
          { kind: 'ended' },
          { ...all, color: 'red' },
        ),
      ],
    },
    {
      name: 'by a label, with a MODIFIED event for an object that lost it',
      operations: [...writes, watch(0, events, { kind: 'ended' }, { ...all, color: 'red' })],
      breaks: 'watch',
    },
    ...[
      { name: 'of keys of an expired lease, in any order', last: [C, A, B] },
      { name: 'of keys of an expired lease, incomplete', last: [C] },
      { name: 'of keys of an expired lease, with one repeated', last: [C, C], breaks: 'watch' as const },
    ].map(({ last, ...row }) => ({
      ...row,
      truth: [...truth, drop(20, A, 5, true), drop(20, B, 9, true), drop(20, C, 8, true)],
      operations: [
        ...writes,
        watch(
          9,
          last.map((key) => event('DELETED', key, 20, { [A]: 'a2', [B]: 'b2', [C]: 'c1' }[key]!)),
        ),
      ],
    })),
  ],
};

for (const [subject, table] of Object.entries(rows)) {
  describe(`the chaos checker, on ${subject}`, () => {
    for (const { name, operations, breaks, truth: changes = truth } of table) {
      it(`${breaks ? `reports "${breaks}"` : 'accepts'}: ${name}`, () => {
        const laws = check({ truth: changes, operations }).map(({ law }) => law);
        assert.deepEqual([...new Set(laws)], breaks ? [breaks] : []);
      });
    }
  });
}
