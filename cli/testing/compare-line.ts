import assert from 'node:assert/strict';
import type { Comparison } from '../comparison/comparison.ts';
import { alike, inAnyOrder, runOwn, runYardstick, wordsOf } from './compare.ts';
import type { ComparisonServer } from './comparison-server.ts';
import type { Outcome } from './run-line.ts';

/** Where lines are compared. */
export interface ComparedWith {
  /** The other program. */
  readonly yardstick: string;
  readonly server: ComparisonServer;
}

/**
 * A test that both programs answer a line in the same way.
 * @param where called when the test runs
 * @param prepare makes the two namespaces in which a line is run that needs something before
 */
export function compareLine(
  { line, input, meant, anyOrder, before: lead, given }: Comparison,
  where: () => ComparedWith,
  prepare?: (lines: readonly string[], input?: string) => Promise<string[]>,
): void {
  it(meant === undefined ? line : `${line} (differs: ${meant})`, async () => {
    const { yardstick, server } = where();
    const words = wordsOf(line);
    const places = lead === undefined ? undefined : await prepare?.(lead, given);
    const inPlace = (n: number) => (places === undefined ? words : [...words, '-n', places[n]!]);
    const [theirs, ours] = (
      await Promise.all([
        runYardstick(yardstick, inPlace(0), server.kubeconfig, input),
        runOwn(inPlace(1), server.kubeconfig, server.home, input),
      ])
    )
      .map((outcome, n) => alike(places === undefined ? outcome : withoutPlace(outcome, places[n]!)))
      .map((outcome) => (anyOrder === true ? inAnyOrder(outcome) : outcome));
    if (meant === undefined) assert.deepEqual(ours, theirs);
    else assert.notDeepEqual(ours, theirs, 'they do not differ any more: take out `meant`');
  });
}

function withoutPlace({ stdout, stderr, code }: Outcome, place: string): Outcome {
  return { stdout: stdout.replaceAll(place, 'NAMESPACE'), stderr: stderr.replaceAll(place, 'NAMESPACE'), code };
}
