import { runTests } from './run-tests.ts';
import { testFiles } from './test-files.ts';

// `make test`. Where second tries are allowed (RETRIES), each file that failed runs once more, with no other file
// beside it. Several hundred tests start processes, and a busy machine may hold up any of them.

const retries = Number(process.env['RETRIES'] ?? 0);
const reporter = '--reporter=./scripts/second-tries-briefly.ts';
const beside = ['--parallel', '--jobs=5', `--retries=${retries}`];
process.exitCode = await runTests(
  [reporter, ...beside, ...testFiles()],
  process.env,
  retries > 0 ? [reporter] : undefined,
);
