import { createRequire } from 'node:module';
import type { MochaOptions } from 'mocha';
import { runTests } from './run-tests.ts';

// `make test`, with what .mocharc.cjs says. Where second tries are allowed (RETRIES), what failed is run once more by itself,
// in the same way but for what is beside it.

const { timeout, reporter, require: setUp } = createRequire(import.meta.url)('../.mocharc.cjs') as MochaOptions;
const again = ['--no-config', '--exit', `--timeout=${timeout}`, `--reporter=${reporter}`, `--require=${setUp}`];
process.exitCode = await runTests([], process.env, Number(process.env['RETRIES'] ?? 0) > 0 ? again : undefined);
