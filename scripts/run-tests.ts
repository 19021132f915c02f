import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

/**
 * Runs mocha, and runs failed files once more, one file at a time. mocha itself does not try hooks again, and a busy
 * moment on another machine may delay any of a thousand processes. A test that fails twice has failed.
 * @param again the arguments for a run of single files, before them; undefined when nothing is run again
 * @returns the exit status
 */
export async function runTests(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  again?: readonly string[],
): Promise<number> {
  const first = await run(args, env);
  const files = first.counts?.failedFiles ?? [];
  if (first.status === 0 || again === undefined || first.counts === undefined) return first.status;
  if (files.length === 0 || files.length > MOST_FILES_AGAIN || files.includes('')) return first.status;
  let failing = 0;
  for (const file of files) {
    console.log(`\n== run again, by itself: ${path.relative('.', file)}`);
    const { status, counts } = await run([...again, file], env);
    if (status !== 0) failing += counts?.failing || 1;
  }
  const passing = first.counts.passing + first.counts.failing - failing;
  console.log(`\n== after the files that failed were run again:\n  ${passing} passing\n  ${failing} failing`);
  return failing === 0 ? 0 : 1;
}

async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ status: number; counts: TestCounts | undefined }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-counts-'));
  const file = path.join(folder, 'counts.json');
  try {
    const tests = spawn(process.execPath, [mocha, ...args], { stdio: 'inherit', env: { ...env, [COUNTS_FILE]: file } });
    const [status] = (await once(tests, 'exit')) as [number | null];
    return { status: status ?? 1, counts: read(file) };
  } finally {
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
