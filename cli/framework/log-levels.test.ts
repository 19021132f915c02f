import assert from 'node:assert/strict';
import { Flags } from './flag.ts';
import { globalFlags } from './global-flags.ts';
import { logLevel } from './log-levels.ts';
import { parseFlags } from './parse-flags.ts';

describe('--vmodule', () => {
  const level = (vmodule: string, v = '0') =>
    logLevel(
      new Flags(globalFlags, new Map(Object.entries({ vmodule: [vmodule], v: [v] }))),
      'request-log',
      'round_trippers',
    );

  const table: readonly (readonly [vmodule: string, v: string, level: number])[] = [
    ['', '3', 3],
    ['request-log=8', '0', 8],
    ['request-log=8', '9', 9],
    ['round_trippers=6', '2', 6],
    ['request*=7,request-log=9', '0', 7],
    ['other=9,r?quest-log=6,', '0', 6],
    ['request.log=9', '0', 0],
    ['request=9', '0', 0],
  ];
  for (const [vmodule, v, expected] of table)
    it(`${vmodule || 'no --vmodule'} and -v=${v} result in level ${expected}`, () =>
      assert.equal(level(vmodule, v), expected));

  const wrong: readonly (readonly [vmodule: string, mistake: string])[] = [
    ['x', 'syntax error: expect comma-separated list of filename=N'],
    ['x=a', 'syntax error: expect comma-separated list of filename=N'],
    ['x=1,=2', 'syntax error: expect comma-separated list of filename=N'],
    ['x=-1', 'negative value for vmodule level'],
  ];
  for (const [vmodule, mistake] of wrong)
    it(`refuses ${vmodule}`, () => {
      assert.throws(() => parseFlags(globalFlags, [`--vmodule=${vmodule}`]), {
        message: new RegExp(`^(error: |Error: )?invalid argument "${vmodule}" for "--vmodule" flag: ${mistake}`),
      });
    });
});
