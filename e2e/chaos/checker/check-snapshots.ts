import type { Change, Operation, PagesOperation, ReadOperation, Seen, Violation } from './history.ts';
import { Replay, type Truth } from './truth.ts';

interface Question {
  readonly revision: number;
  readonly check: (replay: Replay) => Violation | undefined;
}

/**
 * Checks that reads return stored values that are as new as the reads require. Lists and pages must return the state at
 * their version.
 */
export function checkSnapshots(truth: Truth, operations: readonly Operation[]): Violation[] {
  const violations: (Violation | undefined)[] = [];
  const questions: Question[] = [];
  for (const operation of operations) {
    if (operation.kind === 'read') violations.push(checkRead(truth, operation));
    if (operation.kind === 'pages') questions.push(...pagesOf(operation));
    if (operation.kind !== 'list') continue;
    const { scope, revision, items, freshness } = operation;
    const tooOld = freshness.kind === 'notOlder' && revision < freshness.revision;
    const another = freshness.kind === 'exact' && revision !== freshness.revision;
    if (tooOld || another) {
      const message = `the list of ${scope.prefix} asked for ${freshness.kind} ${freshness.revision} is at ${revision}`;
      violations.push({ law: 'version', message, operation });
    }
    const check = (replay: Replay): Violation | undefined => {
      const difference = compare(items, replay.at(revision, scope));
      const message = `the list of ${scope.prefix} at ${revision}: ${difference}`;
      return difference === undefined ? undefined : { law: 'snapshot', message, operation };
    };
    questions.push({ revision, check });
  }
  const replay = new Replay(truth);
  questions.sort((a, b) => a.revision - b.revision);
  for (const { check } of questions) violations.push(check(replay));
  return violations.filter((violation) => violation !== undefined);
}

function checkRead(truth: Truth, operation: ReadOperation): Violation | undefined {
  const { key, found, freshness } = operation;
  const report = (law: Violation['law'], message: string): Violation => ({
    law,
    message: `read of ${key}: ${message}`,
    operation,
    evidence: truth.evidence(key, found?.revision ?? 0),
  });
  const stored = found && truth.at(key, found.revision);
  if (found !== undefined && stored?.value?.id !== found.id)
    return report('invented', `shows ${found.id} at ${found.revision}, where ${stored?.value?.id ?? 'nothing'} is`);
  const least = freshness.kind === 'notOlder' ? freshness.revision : 0;
  if (found === undefined) {
    if (truth.firstState(key, least, (last) => last?.value === undefined) === undefined)
      return report('version', `says that nothing is there, which was never so since ${least}`);
    return undefined;
  }
  const next = truth.after(key, found.revision);
  if (next !== undefined && next.revision <= least)
    return report('version', `shows ${found.revision}, replaced at ${next.revision}, but asked for ${least} or later`);
  return undefined;
}

/** The pages that share a snapshot, from one key onwards. */
function pagesOf(operation: PagesOperation): Question[] {
  const questions: Question[] = [];
  const { scope, limit, pages } = operation;
  let after = '';
  for (let i = 0; i < pages.length; ) {
    let end = i + 1;
    while (end < pages.length && pages[end]!.again !== true) end++;
    const run = pages.slice(i, end);
    const from = after;
    const first = run[0]!;
    const check = (replay: Replay): Violation | undefined => {
      const violation = (message: string): Violation => ({
        law: 'pages',
        message: `pages of ${scope.prefix} at ${first.revision}${from && ` after ${from}`}: ${message}`,
        operation,
      });
      const strange = run.find(({ revision }) => revision !== first.revision);
      if (strange) return violation(`one is at ${strange.revision}`);
      const long = run.find(({ items, more }) => items.length > limit || (more && items.length < limit));
      if (long) return violation(`one holds ${long.items.length} of at most ${limit}`);
      const expected = replay.at(first.revision, scope).filter(({ key }) => key > from);
      const items = run.flatMap((page) => page.items);
      const whole = run.at(-1)!.more === false;
      const difference = compare(items, whole ? expected : expected.slice(0, items.length));
      if (difference !== undefined) return violation(difference);
      let left = expected.length;
      for (const page of run) {
        left -= page.items.length;
        if (page.remaining !== undefined && page.remaining !== left)
          return violation(`${page.remaining} are said to remain where ${left} do`);
        if (page.more && left === 0 && scope.color === undefined) return violation('a token leads to an empty page');
      }
      return undefined;
    };
    questions.push({ revision: first.revision, check });
    after = run.flatMap((page) => page.items).at(-1)?.key ?? after;
    i = end;
  }
  return questions;
}

/** Describes the first difference. Undefined means that there is none. */
function compare(items: readonly Seen[], expected: readonly Change[]): string | undefined {
  for (let i = 0; i < Math.max(items.length, expected.length); i++) {
    const [item, change] = [items[i], expected[i]];
    if (item && change && item.key === change.key && item.revision === change.revision && item.id === change.value?.id)
      continue;
    const shown = item ? `${item.key} at ${item.revision} (${item.id})` : 'nothing more';
    const real = change ? `${change.key} at ${change.revision} (${change.value?.id})` : 'nothing more';
    return `item ${i + 1} is ${shown} instead of ${real}`;
  }
  return undefined;
}
