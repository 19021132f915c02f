import { writeFileSync } from 'node:fs';
import mocha, { type MochaOptions, type Runner, type Test } from 'mocha';
import { COUNTS_FILE, type TestCounts } from './run-tests.ts';

/**
 * A reporter that prints tests one by one. If a test is tried again (`--retries`), it prints each failure as it
 * happens. At the end it prints how many tests needed a second try. So a test that fails only sometimes stays visible.
 */
export default class SecondTries extends mocha.reporters.Spec {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    tellOfSecondTries(runner);
  }
}

/**
 * Prints the reason of each second try, and at the end the tests that needed one; also reports the counts to the
 * program that runs the tests.
 */
export function tellOfSecondTries(runner: Runner): void {
  const again = new Set<string>();
  const failed = new Set<string>();
  runner.on('fail', ({ file }: Test) => failed.add(file ?? ''));
  runner.on('retry', (test: Test, error: Error) => {
    const title = test.fullTitle();
    again.add(title);
    console.log(`\n== is tried again: ${title}\n${indented(error.stack ?? String(error))}\n`);
  });
  runner.once('end', () => {
    console.log(`== tests that were tried again: ${again.size}`);
    for (const title of again) console.log(`   ${title}`);
    const file = process.env[COUNTS_FILE];
    const { passes = 0, failures = 0 } = runner.stats ?? {};
    const counts: TestCounts = { passing: passes, failing: failures, failedFiles: [...failed] };
    if (file !== undefined) writeFileSync(file, JSON.stringify(counts));
  });
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '   ');
}
