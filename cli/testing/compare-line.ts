import assert from 'node:assert/strict';
import type { Comparison } from '../comparison/comparison.ts';
import { alike, inAnyOrder, isReordered, runOwn, runYardstick, wordsOf } from './compare.ts';
import type { ComparisonServer } from './comparison-server.ts';
import type { Outcome } from './run-line.ts';

/** An order that is left to chance is the same this often once in a billion times, if only two things can change places. */
const TIMES_ASKED_AGAIN = 30;

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
    /** What each program answers, or the yardstick alone, in namespaces of their own where the line needs something before. */
    const answers = async (programs: readonly ('theirs' | 'ours')[]) => {
      const places = lead === undefined ? undefined : await prepare?.(lead, given);
      return Promise.all(
        programs.map(async (program, n) => {
          const inPlace = places === undefined ? words : [...words, '-n', places[n]!];
          const outcome = await (program === 'theirs'
            ? runYardstick(yardstick, inPlace, server.kubeconfig, input)
            : runOwn(inPlace, server.kubeconfig, server.home, input));
          const shown = alike(places === undefined ? outcome : withoutPlace(outcome, places[n]!));
          return anyOrder === true ? inAnyOrder(shown) : shown;
        }),
      );
    };
    const [theirs, ours] = (await answers(['theirs', 'ours'])) as [Outcome, Outcome];
    // What a map holds is told in another order each time: not to be foreseen by who adds a line, so it is found out here.
    if (meant === undefined && isReordered(ours, theirs))
      for (let again = 0; again < TIMES_ASKED_AGAIN; again++) {
        const [anew] = (await answers(['theirs'])) as [Outcome];
        if (isReordered(anew, theirs)) return;
      }
    if (meant === undefined) assert.deepEqual(ours, theirs);
    else assert.notDeepEqual(ours, theirs, 'they do not differ any more: take out `meant`');
  });
}

function withoutPlace({ stdout, stderr, code }: Outcome, place: string): Outcome {
  return { stdout: stdout.replaceAll(place, 'NAMESPACE'), stderr: stderr.replaceAll(place, 'NAMESPACE'), code };
}
