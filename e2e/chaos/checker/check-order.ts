import type { Change, Operation, Violation } from './history.ts';
import type { Truth } from './truth.ts';

/** Finds the revision of an operation in the order. It is at least `floor` and at most `ceiling`. */
type Place = (floor: number, ceiling: number) => number | Violation;

interface Moment {
  readonly time: number;
  /** At equal times, starts of operations (0) come before ends (1), because such operations overlap. */
  readonly rank: 0 | 1;
  readonly run: () => void;
}

/**
 * Checks that all operations fit into one order, the order of revisions. An operation that ended before another one
 * started must not come after it. Each operation gets the first possible place, which leaves the most room for later
 * operations. One sweep through time therefore decides for all keys together. Consistent reads, writes and watch events
 * take part. An operation that has seen a revision raises the floor for all operations that start later.
 */
export function checkOrder(truth: Truth, operations: readonly Operation[]): Violation[] {
  const violations: Violation[] = [];
  const ceiling = ceilings(truth, operations);
  const moments: Moment[] = [];
  let floor = 0;
  const observe = (time: number, revision: number) =>
    moments.push({ time, rank: 1, run: () => void (floor = Math.max(floor, revision)) });

  for (const operation of operations) {
    if (operation.kind === 'watch') {
      for (const { at, revision } of operation.events) observe(at, revision);
      continue;
    }
    for (const { called, returned, place } of places(truth, operation)) {
      let floorAtCall = 0;
      moments.push({ time: called, rank: 0, run: () => void (floorAtCall = floor) });
      const run = () => {
        const placed = place(floorAtCall, ceiling(returned));
        if (typeof placed !== 'number') {
          violations.push({ ...placed, operation });
          return;
        }
        if (Number.isFinite(returned)) floor = Math.max(floor, placed);
      };
      moments.push({ time: returned, rank: 1, run });
    }
  }
  moments.sort((a, b) => a.time - b.time || a.rank - b.rank);
  for (const { run } of moments) run();
  return violations;
}

interface Part {
  readonly called: number;
  readonly returned: number;
  readonly place: Place;
}

function places(truth: Truth, operation: Exclude<Operation, { kind: 'watch' }>): Part[] {
  const { kind, called, returned } = operation;
  if (kind === 'pages') {
    return operation.pages
      .map((page, i) => ({ page, part: `page ${i + 1} of ${operation.scope.prefix}` }))
      .filter(({ page }, i) => i === 0 || page.again === true)
      .map(({ page, part }) => ({ ...page, place: atRevision(part, page.revision) }));
  }
  const one = (place: Place): Part[] => [{ called, returned, place }];
  if (kind === 'list') {
    const { freshness, scope, revision } = operation;
    return freshness.kind === 'recent' ? one(atRevision(`list of ${scope.prefix}`, revision)) : [];
  }
  const { key } = operation;
  if (kind === 'read') {
    const { found, freshness } = operation;
    if (freshness.kind !== 'recent') return [];
    if (found === undefined) return one(inState(truth, key, 'is absent', absent));
    return one(inState(truth, key, `is at revision ${found.revision}`, (last) => last?.revision === found.revision));
  }
  const { outcome, expected, id } = operation;
  const part = `${operation.verb} of ${key}`;
  switch (outcome.kind) {
    case 'done':
      return one(afterFloor(part, outcome.revision));
    case 'removed': {
      const deletion = truth.of(key).find((change, i, all) => !change.value && all[i - 1]?.value?.uid === outcome.uid);
      return deletion === undefined ? [] : one(afterFloor(part, deletion.revision));
    }
    case 'exists':
      return one(inState(truth, key, 'is there', (last) => !absent(last)));
    case 'absent':
      return one(inState(truth, key, 'is absent', absent));
    case 'changed':
      return one(inState(truth, key, `is not at ${expected}`, (last) => last?.revision !== expected));
    case 'unknown': {
      // The server may execute the write long after the client has stopped waiting.
      const revision = truth.withId(id)[0]?.revision;
      if (revision === undefined) return [];
      return [{ called, returned: Number.POSITIVE_INFINITY, place: afterFloor(part, revision) }];
    }
    default:
      return [];
  }
}

function absent(last: Change | undefined): boolean {
  return last?.value === undefined;
}

/** A snapshot at this revision. */
function atRevision(part: string, revision: number): Place {
  return (floor, ceiling) => {
    if (revision < floor) return stale(`${part} shows revision ${revision}, but ${floor} was known before`);
    return revision > ceiling ? early(`${part} shows revision ${revision}`, ceiling) : revision;
  };
}

/** A write that made this revision. */
function afterFloor(part: string, revision: number): Place {
  return (floor) =>
    revision > floor ? revision : stale(`${part} was done at ${revision}, but ${floor} was known before it began`);
}

/** Finds the first revision at which a key is in a state. */
function inState(truth: Truth, key: string, state: string, test: (last: Change | undefined) => boolean): Place {
  return (floor, ceiling) => {
    const placed = truth.firstState(key, floor, test);
    if (placed !== undefined && placed <= ceiling) return placed;
    const before = truth.firstState(key, 0, test);
    const evidence = truth.evidence(key, floor);
    if (before === undefined || before > ceiling)
      return { ...early(`it was answered that ${key} ${state}`, ceiling), evidence };
    const message = `it was answered that ${key} ${state}, which it was not since revision ${floor}, known before`;
    return { ...stale(message), evidence };
  };
}

function stale(message: string): Violation {
  return { law: 'recent', message };
}

function early(message: string, ceiling: number): Violation {
  return { law: 'future', message: `${message}, before the write of revision ${ceiling + 1} began` };
}

/**
 * The highest revision that an operation could have seen if it ended at a time. It is lower than the revision of the
 * first write that started later.
 */
function ceilings(truth: Truth, operations: readonly Operation[]): (time: number) => number {
  const begun = operations
    .filter((operation) => operation.kind === 'write')
    .flatMap(({ id, called }) => truth.withId(id).map(({ revision }) => ({ called, revision })))
    .sort((a, b) => a.called - b.called);
  let lowest = Number.POSITIVE_INFINITY;
  const limits = begun
    .toReversed()
    .map(({ called, revision }) => ({ called, lowest: (lowest = Math.min(lowest, revision)) }))
    .reverse();
  return (time) => {
    let low = 0;
    let high = limits.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (limits[middle]!.called > time) high = middle;
      else low = middle + 1;
    }
    return (limits[low]?.lowest ?? Number.POSITIVE_INFINITY) - 1;
  };
}
