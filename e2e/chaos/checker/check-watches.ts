import type { Operation, Violation, WatchEvent, WatchOperation } from './history.ts';
import { type Expected, firstAfter, type Truth } from './truth.ts';

/**
 * Checks that a watch sees every change in its scope from its start to its end, once, in the order of revisions. Only
 * the changes of one revision, which an expired lease makes, may be in any order.
 */
export function checkWatches(truth: Truth, operations: readonly Operation[]): Violation[] {
  return operations
    .filter((operation) => operation.kind === 'watch')
    .map((watch) => checkWatch(truth, watch))
    .filter((violation) => violation !== undefined);
}

function checkWatch(truth: Truth, watch: WatchOperation): Violation | undefined {
  const expected = truth.events(watch.scope);
  let next = firstAfter(expected, watch.start);
  /** The events of the revision at `next` that the watch has already seen. */
  let early: Expected[] = [];
  let position = watch.start;
  const report = (message: string, around: Expected | WatchEvent | undefined): Violation => ({
    law: 'watch',
    message: `watch of ${watch.scope.prefix}${watch.scope.color ?? ''} from ${watch.start}, after ${position}: ${message}`,
    operation: watch,
    ...(around && 'key' in around ? { evidence: truth.evidence(around.key, around.revision) } : {}),
  });
  const pending = () => expected.slice(next).find((event) => !early.includes(event));
  for (const event of watch.events) {
    if (event.type === 'BOOKMARK') {
      const missing = pending();
      if (event.revision < position) return report(`a bookmark goes back to ${event.revision}`, undefined);
      if (missing !== undefined && missing.revision <= event.revision)
        return report(`a bookmark of ${event.revision} leaves out ${show(missing)}`, missing);
      position = event.revision;
      continue;
    }
    const group = groupAt(expected, next);
    const match = group.find((candidate) => same(candidate, event) && !early.includes(candidate));
    if (match === undefined) {
      const due = pending();
      if (due === undefined || due.revision > event.revision)
        return report(
          `${show(event)} is repeated or invented, ${due ? `${show(due)} is due` : 'nothing is due'}`,
          event,
        );
      return report(`${show(event)} comes where ${show(due)} is due`, due);
    }
    early.push(match);
    if (early.length === group.length) {
      next += group.length;
      early = [];
    }
    position = event.revision;
  }
  const missing = pending();
  if (watch.end.kind === 'settled' && missing !== undefined && missing.revision <= watch.end.reached)
    return report(`${show(missing)} never came, although there was time until ${watch.end.reached}`, missing);
  return undefined;
}

/** The events of one revision, from an index onwards. */
function groupAt(expected: readonly Expected[], index: number): readonly Expected[] {
  let end = index + 1;
  while (end < expected.length && expected[end]!.revision === expected[index]!.revision) end++;
  return expected.slice(index, end);
}

function same(expected: Expected, event: Expected): boolean {
  return (
    expected.type === event.type &&
    expected.key === event.key &&
    expected.revision === event.revision &&
    expected.id === event.id
  );
}

function show({ type, key, revision, id }: Expected): string {
  return `${type} ${key} at ${revision} (${id})`;
}
