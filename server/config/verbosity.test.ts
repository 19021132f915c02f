import assert from 'node:assert/strict';
import { parseFlags } from './parse-flags.ts';
import { readVerbosity } from './verbosity.ts';

function verbosity(...argv: string[]): number | undefined {
  const invocation = parseFlags(argv);
  assert.ok('flags' in invocation);
  return readVerbosity(invocation.flags);
}

describe('--v', () => {
  it('returns the number of the flag', () => {
    for (const [argv, expected] of [
      [[], undefined],
      [['--v=2'], 2],
      [['-v', '4'], 4],
      [['-v6'], 6],
    ] as const)
      assert.equal(verbosity(...argv), expected);
  });

  it('refuses negative numbers', () => assert.throws(() => verbosity('--v=-1'), /--v must not be negative/));
});
