import type {
  Change,
  Freshness,
  ListOperation,
  Page,
  PagesOperation,
  ReadOperation,
  Scope,
  WatchEvent,
  WatchOperation,
  WriteOperation,
  WriteOutcome,
} from '../history.ts';

export const A = 'maps/n/a';
export const B = 'maps/n/b';
export const C = 'maps/m/c';
export const all: Scope = { prefix: 'maps/' };

/** Makes a put. In `put(5, A, 'x', 3)`, x replaces revision 3 of A at revision 5. */
export const put = (
  revision: number,
  key: string,
  id: string,
  previous = 0,
  color = 'red',
  uid = `${key}!`,
): Change => ({
  revision,
  key,
  previous,
  value: { id, uid, color },
});

export const drop = (revision: number, key: string, previous: number, leased = false): Change => ({
  revision,
  key,
  previous,
  value: undefined,
  leased,
});

export const at = (called: number, returned: number) => ({ by: 'test', called, returned });

export const write = (
  verb: WriteOperation['verb'],
  [called, returned]: readonly [number, number],
  key: string,
  id: string,
  outcome: WriteOutcome | number,
  expected?: number,
): WriteOperation => ({
  ...at(called, returned),
  kind: 'write',
  verb,
  key,
  id,
  outcome: typeof outcome === 'number' ? { kind: 'done', revision: outcome } : outcome,
  ...(expected === undefined ? {} : { expected }),
});

export const removed = (uid: string): WriteOutcome => ({ kind: 'removed', uid });
export const unknown: WriteOutcome = { kind: 'unknown' };

export const read = (
  [called, returned]: readonly [number, number],
  key: string,
  found: readonly [number, string] | undefined,
  freshness: Freshness = { kind: 'recent' },
): ReadOperation => ({
  ...at(called, returned),
  kind: 'read',
  key,
  freshness,
  found: found && { key, revision: found[0], id: found[1] },
});

type Item = readonly [key: string, revision: number, id: string];
const seen = ([key, revision, id]: Item) => ({ key, revision, id });

export const list = (
  [called, returned]: readonly [number, number],
  revision: number,
  items: readonly Item[],
  freshness: Freshness = { kind: 'recent' },
  scope: Scope = all,
): ListOperation => ({ ...at(called, returned), kind: 'list', scope, revision, freshness, items: items.map(seen) });

export const page = (revision: number, items: readonly Item[], more: boolean, other: Partial<Page> = {}): Page => ({
  ...at(100, 101),
  revision,
  items: items.map(seen),
  more,
  ...other,
});

export const pages = (limit: number, ...some: Page[]): PagesOperation => ({
  ...at(100, 101),
  kind: 'pages',
  scope: all,
  limit,
  pages: some,
});

export const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED', ...[key, revision, id]: Item): WatchEvent => ({
  type,
  at: 200,
  key,
  revision,
  id,
});

export const bookmark = (revision: number): WatchEvent => ({ type: 'BOOKMARK', at: 200, revision });

export const watch = (
  start: number,
  events: readonly WatchEvent[],
  end: WatchOperation['end'] = { kind: 'ended' },
  scope: Scope = all,
): WatchOperation => ({ ...at(0, 300), kind: 'watch', scope, start, events, end });

/**
 * The changes. a is created, b is created, a is changed (and becomes blue), b is deleted, c is created, b is created
 * again.
 */
export const truth = [
  put(1, A, 'a1'),
  put(3, B, 'b1'),
  put(5, A, 'a2', 1, 'blue'),
  drop(6, B, 3),
  put(8, C, 'c1'),
  put(9, B, 'b2', 0, 'red', 'b again'),
];

/** Writes one after the other, without violations. */
export const writes = [
  write('create', [10, 11], A, 'a1', 1),
  write('create', [20, 21], B, 'b1', 3),
  write('update', [30, 31], A, 'a2', 5, 1),
  write('delete', [40, 41], B, 'd1', removed(`${B}!`), 3),
  write('create', [50, 51], C, 'c1', 8),
  write('create', [60, 61], B, 'b2', 9),
];

export const change = (
  verb: WriteOperation['verb'],
  key: string,
  different: Partial<WriteOperation>,
): WriteOperation[] =>
  writes.map((one) => (one.verb === verb && one.key === key && one.id !== 'b2' ? { ...one, ...different } : one));

export const without = (...revisions: number[]) => truth.filter(({ revision }) => !revisions.includes(revision));

export const final: Item[] = [
  [C, 8, 'c1'],
  [A, 5, 'a2'],
  [B, 9, 'b2'],
];

export const events = [
  event('ADDED', A, 1, 'a1'),
  event('ADDED', B, 3, 'b1'),
  event('MODIFIED', A, 5, 'a2'),
  event('DELETED', B, 6, 'b1'),
  event('ADDED', C, 8, 'c1'),
  event('ADDED', B, 9, 'b2'),
];
