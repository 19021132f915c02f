import { runTests } from './run-tests.ts';
import { testFiles } from './test-files.ts';

// `make test`. If second tries are allowed (RETRIES), each file that failed runs once more, without other files beside
// it. Several hundred tests start processes, and a busy machine may delay any of them.

const retries = Number(process.env['RETRIES'] ?? 0);
const reporter = '--reporter=./scripts/second-tries-briefly.ts';
// Tests make much that is soon garbage. With more room for it the engine collects less often: a tenth of the processor
// time of small files.
const engine = '--max-semi-space-size=32';
// Each more loads all modules again; fewer leave a processor idle while tests wait.
const beside = ['--parallel', '--jobs=4', `--retries=${retries}`, engine];
process.exitCode = await runTests(
  [[[reporter, ...beside, ...testFiles()]]],
  process.env,
  retries > 0 ? [reporter] : undefined,
);
