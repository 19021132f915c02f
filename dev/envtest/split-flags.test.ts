import assert from 'node:assert/strict';
import { splitFlags } from './split-flags.ts';

describe('splitFlags', () => {
  for (const [argv, expected] of [
    [
      ['--a=1', '--b=x=y'],
      [
        ['a', '1'],
        ['b', 'x=y'],
      ],
    ],
    [
      ['--a', '1', '--b'],
      [
        ['a', '1'],
        ['b', ''],
      ],
    ],
    [
      ['-v=2', '--a='],
      [
        ['v', '2'],
        ['a', ''],
      ],
    ],
    [
      ['--a', '--b', '2'],
      [
        ['a', ''],
        ['b', '2'],
      ],
    ],
    [[], []],
  ] as const)
    it(JSON.stringify(argv), () => {
      const flags = splitFlags(argv);
      assert.deepEqual(
        flags.map(({ name, value }) => [name, value]),
        expected,
      );
      assert.deepEqual(
        flags.flatMap(({ words }) => words),
        argv,
      );
    });
});
