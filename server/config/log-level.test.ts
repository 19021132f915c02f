import assert from 'node:assert/strict';
import { readLogLevel } from './log-level.ts';
import { parseFlags } from './parse-flags.ts';

function level(...argv: string[]): string | undefined {
  const invocation = parseFlags(argv);
  assert.ok('flags' in invocation);
  return readLogLevel(invocation.flags);
}

describe('--v', () => {
  const cases: readonly [argv: string[], level: string | undefined][] = [
    [[], undefined],
    [['--v=0'], 'info'],
    [['--v=2'], 'info'],
    [['-v', '4'], 'debug'],
    [['-v=5'], 'debug'],
    [['-v6'], 'trace'],
    [['--v', '10'], 'trace'],
  ];
  for (const [argv, expected] of cases) {
    it(`${argv.join(' ') || 'left out'} is ${expected}`, () => assert.equal(level(...argv), expected));
  }

  it('is no number below zero', () => assert.throws(() => level('--v=-1'), /--v must not be negative/));
});
