import mocha, { type MochaOptions, type Runner, type Test } from 'mocha';

/**
 * Reports tests one by one, and of those that are tried again (`--retries`) each failure as it happens, and in the end how
 * many tests needed it: nothing that is not always so is hidden.
 */
export default class SecondTries extends mocha.reporters.Spec {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    tellOfSecondTries(runner);
  }
}

/** Prints why tests are tried again, and in the end which. */
export function tellOfSecondTries(runner: Runner): void {
  const again = new Set<string>();
  runner.on('retry', (test: Test, error: Error) => {
    const title = test.fullTitle();
    again.add(title);
    console.log(`\n== is tried again: ${title}\n${indented(error.stack ?? String(error))}\n`);
  });
  runner.once('end', () => {
    console.log(`== tests that were tried again: ${again.size}`);
    for (const title of again) console.log(`   ${title}`);
  });
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '   ');
}
