import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The file in which reporters of tests write their counts; see `TestCounts`. */
export const COUNTS_FILE = 'TEST_COUNTS_FILE';

/** The results of a run of tests. */
export interface TestCounts {
  readonly passing: number;
  readonly failing: number;
  /** The files with failures, of a hook or a test; empty names if the file is unknown. */
  readonly failedFiles: readonly string[];
}

/** More files than this do not fail by chance. */
const MOST_FILES_AGAIN = 5;

const mocha = path.resolve(import.meta.dirname, '../node_modules/mocha/bin/mocha.js');

/** The result of one run of mocha; without counts if mocha itself did not get to its end. */
interface Result {
  readonly status: number;
  readonly counts: TestCounts | undefined;
}

/**
 * Runs mocha, and runs failed files once more, one file at a time. mocha itself does not try hooks again, and a busy
 * moment on another machine may delay any of a thousand processes. A test that fails twice has failed.
 * @param stages stages run one after the other. A stage is the arguments of one or more runs of mocha, which run beside
 * each other: the first prints its lines at once, the others print theirs when they end
 * @param again the arguments for a run of single files, before them; undefined when nothing is run again
 * @returns the exit status
 */
export async function runTests(
  stages: readonly (readonly (readonly string[])[])[],
  env: NodeJS.ProcessEnv,
  again?: readonly string[],
): Promise<number> {
  const results: Result[] = [];
  for (const stage of stages) results.push(...(await Promise.all(stage.map((args, n) => run(args, env, n > 0)))));
  const first = sum(results);
  if (results.length > 1 && first.counts !== undefined) report('all runs together', first.counts);
  const files = first.counts?.failedFiles ?? [];
  if (first.status === 0 || again === undefined || first.counts === undefined) return first.status;
  if (files.length === 0 || files.length > MOST_FILES_AGAIN || files.includes('')) return first.status;
  let failing = 0;
  for (const file of files) {
    console.log(`\n== run again, by itself: ${path.relative('.', file)}`);
    const { status, counts } = await run([...again, file], env, false);
    if (status !== 0) failing += counts?.failing || 1;
  }
  const passing = first.counts.passing + first.counts.failing - failing;
  report('after the files that failed were run again', { passing, failing });
  return failing === 0 ? 0 : 1;
}

/** Adds the results of several runs. There are no counts if one of them has none. */
function sum(results: readonly Result[]): Result {
  const counts = results.flatMap((result) => result.counts ?? []);
  return {
    status: results.find(({ status }) => status !== 0)?.status ?? 0,
    counts:
      counts.length < results.length
        ? undefined
        : {
            passing: counts.reduce((total, { passing }) => total + passing, 0),
            failing: counts.reduce((total, { failing }) => total + failing, 0),
            failedFiles: counts.flatMap(({ failedFiles }) => failedFiles),
          },
  };
}

function report(what: string, { passing, failing }: Pick<TestCounts, 'passing' | 'failing'>): void {
  console.log(`\n== ${what}:\n  ${passing} passing\n  ${failing} failing`);
}

/** @param later the lines of the run are printed when it ends, so that they do not mix with those of another run */
async function run(args: readonly string[], env: NodeJS.ProcessEnv, later: boolean): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-counts-'));
  const [file, log] = [path.join(folder, 'counts.json'), path.join(folder, 'log')];
  const lines = later ? openSync(log, 'w') : 'inherit';
  try {
    const tests = spawn(process.execPath, [mocha, ...args], {
      stdio: ['inherit', lines, lines],
      env: { ...env, [COUNTS_FILE]: file },
    });
    const [status] = (await once(tests, 'exit')) as [number | null];
    if (later) process.stdout.write(readFileSync(log));
    return { status: status ?? 1, counts: read(file) };
  } finally {
    if (lines !== 'inherit') closeSync(lines);
    rmSync(folder, { recursive: true });
  }
}

function read(file: string): TestCounts | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestCounts;
  } catch {
    return undefined; // mocha itself did not get to its end
  }
}
