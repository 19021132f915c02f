import { runTests } from './run-tests.ts';
import { testFiles } from './test-files.ts';

// `make test`. If second tries are allowed (RETRIES), each file that failed runs once more, without other files beside
// it. Several hundred tests start processes, and a busy machine may delay any of them.

const retries = Number(process.env['RETRIES'] ?? 0);
const reporter = '--reporter=./scripts/second-tries-briefly.ts';
const beside = ['--parallel', '--jobs=5', `--retries=${retries}`];
process.exitCode = await runTests(
  [[[reporter, ...beside, ...testFiles()]]],
  process.env,
  retries > 0 ? [reporter] : undefined,
);
