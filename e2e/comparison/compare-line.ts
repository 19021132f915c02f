import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Outcome } from '#cli/testing/run-line.ts';
import { alike, inAnyOrder, isReordered, runOwn, runYardstick, wordsOf } from './compare.ts';
import type { Comparison } from './comparison.ts';
import type { ComparisonServer } from './comparison-server.ts';

/**
 * The number of times that the comparison repeats a program whose output has a random order. Even if only two items can
 * change places, all answers have the same order only once in a billion times.
 */
const TIMES_ASKED_AGAIN = 30;

/** The programs and servers of a comparison. */
export interface ComparedWith {
  /** The path of the other program. */
  readonly yardstick: string;
  readonly server: ComparisonServer;
}

/**
 * Makes a test that both programs answer a line in the same way.
 * @param where called when the test runs
 * @param prepare makes the two namespaces for a line that needs other lines before it
 */
export function compareLine(
  { line, input, meant, anyOrder, before: lead, given, after: shown, files }: Comparison,
  where: () => ComparedWith,
  prepare?: (lines: readonly string[], input?: string) => Promise<string[]>,
): void {
  let folder: string | undefined;
  const title = meant === undefined ? line : `${line} (differs: ${meant})`;
  it(title, async () => {
    await compare().finally(() => folder && rmSync(folder, { recursive: true, force: true }));
  });
  async function compare(): Promise<void> {
    const { yardstick, server } = where();
    if (files !== undefined) folder = writeFiles(files);
    const words = wordsOf(line).map((word) => (folder === undefined ? word : word.replaceAll('FOLDER', folder)));
    /** An answer, with the output of the line that runs afterwards. */
    const withAfterwards = async (answer: Outcome, place: string | undefined): Promise<Outcome> => {
      if (shown === undefined || place === undefined) return answer;
      const { stdout, stderr } = await runYardstick(yardstick, placed(wordsOf(shown), place), server.kubeconfig);
      return { ...answer, stdout: `${answer.stdout}\nafterwards:\n${stdout}${stderr}` };
    };
    /**
     * The answers of both programs, or of the other program alone. If a line needs other lines first, each program runs
     * it in a separate namespace.
     */
    const answers = async (programs: readonly ('theirs' | 'ours')[]) => {
      const places = lead === undefined ? undefined : await prepare?.(lead, given);
      return Promise.all(
        programs.map(async (program, n) => {
          const inPlace = places === undefined ? words : placed(words, places[n]!);
          const answer = await (program === 'theirs'
            ? runYardstick(yardstick, inPlace, server.kubeconfig, input)
            : runOwn(inPlace, server.kubeconfig, server.home, input));
          const outcome = await withAfterwards(answer, places?.[n]);
          const told = alike(
            without(outcome, [
              [places?.[n], 'NAMESPACE'],
              [folder, 'FOLDER'],
            ]),
          );
          return anyOrder === true ? inAnyOrder(told) : told;
        }),
      );
    };
    const [theirs, ours] = (await answers(['theirs', 'ours'])) as [Outcome, Outcome];
    // The other program prints the members of a map in another order each time. The table does not mark such lines, so
    // this code finds them.
    if (meant === undefined && isReordered(ours, theirs))
      for (let again = 0; again < TIMES_ASKED_AGAIN; again++) {
        const [again] = (await answers(['theirs'])) as [Outcome];
        if (isReordered(again, theirs)) return;
      }
    if (meant === undefined) assert.deepEqual(ours, theirs);
    else assert.notDeepEqual(ours, theirs, 'they do not differ any more: take out `meant`');
  }
}

/**
 * The words of a line, with a namespace. The namespace comes before `--`, after which the words for another program
 * begin.
 */
function placed(words: readonly string[], place: string): string[] {
  const dash = words.indexOf('--');
  const end = dash < 0 ? words.length : dash;
  return [...words.slice(0, end), '-n', place, ...words.slice(end)];
}

/** An outcome in which fixed words replace everything that differs for each line, such as identities. */
function without(
  { stdout, stderr, code }: Outcome,
  words: readonly (readonly [text: string | undefined, word: string])[],
): Outcome {
  const replaced = (text: string) =>
    words.reduce((all, [made, word]) => (made === undefined ? all : all.replaceAll(made, word)), text);
  return { stdout: replaced(stdout), stderr: replaced(stderr), code };
}

function writeFiles(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'files-'));
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}
