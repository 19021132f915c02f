import assert from 'node:assert/strict';
import { parseFlags } from './parse-flags.ts';
import { readVerbosity } from './verbosity.ts';

function verbosity(...argv: string[]): number | undefined {
  const invocation = parseFlags(argv);
  assert.ok('flags' in invocation);
  return readVerbosity(invocation.flags);
}

describe('--v', () => {
  it('is the number that was given', () => {
    for (const [argv, expected] of [
      [[], undefined],
      [['--v=2'], 2],
      [['-v', '4'], 4],
      [['-v6'], 6],
    ] as const)
      assert.equal(verbosity(...argv), expected);
  });

  it('is no number below zero', () => assert.throws(() => verbosity('--v=-1'), /--v must not be negative/));
});
