import { runTests } from './run-tests.ts';
import { testFiles } from './test-files.ts';

// `make test`. Where second tries are allowed (RETRIES), what failed is run once more by itself, in the same way but
// for what is beside it: several hundred tests start processes, and on a busy machine any of them may be held up.

const retries = Number(process.env['RETRIES'] ?? 0);
const reporter = '--reporter=./scripts/second-tries-briefly.ts';
const beside = ['--parallel', '--jobs=5', `--retries=${retries}`];
process.exitCode = await runTests(
  [reporter, ...beside, ...testFiles()],
  process.env,
  retries > 0 ? [reporter] : undefined,
);
