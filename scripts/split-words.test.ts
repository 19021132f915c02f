import assert from 'node:assert/strict';
import { splitWords } from './split-words.ts';

describe('splitWords', () => {
  const rows: readonly [text: string, words: string[]][] = [
    ['', []],
    ['  --a   --b=1 ', ['--a', '--b=1']],
    ["--a='b c' d", ['--a=b c', 'd']],
    ['--a="b \'c\'"', ["--a=b 'c'"]],
    ["'' a", ['', 'a']],
  ];
  for (const [text, words] of rows)
    it(JSON.stringify(text), () => {
      assert.deepEqual(splitWords(text), words);
    });
});
