import assert from 'node:assert/strict';
import { parseJson } from '#client/json.ts';
import { changedPaths } from './changed-paths.ts';

describe('changedPaths', () => {
  const cases: readonly (readonly [older: string, newer: string, paths: readonly string[]])[] = [
    ['{"a":1}', '{"a":1}', []],
    ['{"a":1}', '{"a":1.0}', []],
    ['{"a":9007199254740993}', '{"a":9007199254740993}', []],
    ['{"a":9007199254740992}', '{"a":9007199254740993}', ['a']],
    ['{"a":[9007199254740993]}', '{"a":[9007199254740994,9007199254740993]}', ['a[0]', '+a[1]']],
    ['{"a":9007199254740993}', '{"a":"9007199254740993"}', ['a']],
    ['{"a":9007199254740993}', '{"a":{"text":"9007199254740993"}}', ['a']],
    ['{}', '{"constructor":1}', ['+constructor']],
    ['{"a":null}', '{}', ['-a']],
  ];
  for (const [older, newer, paths] of cases)
    it(`from ${older} to ${newer}`, () => assert.deepEqual(changedPaths(parseJson(older), parseJson(newer)), paths));
});
