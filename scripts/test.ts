import { runTests } from './run-tests.ts';

// `make test`, with what .mocharc.cjs says. Where second tries are allowed (RETRIES), what failed is run once more by itself.

const again = [
  '--no-config',
  '--exit',
  '--timeout=60000',
  '--reporter=./scripts/second-tries-briefly.ts',
  '--require=./scripts/test-setup.ts',
];
process.exitCode = await runTests([], process.env, Number(process.env['RETRIES'] ?? 0) > 0 ? again : undefined);
