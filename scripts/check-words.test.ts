import assert from 'node:assert/strict';
import { plainWordProblems } from './check-words.ts';

const instead = { nobody: 'no client', 'is told': 'learns' };

describe('the check of words', () => {
  const texts: readonly (readonly [what: string, file: string, text: string, problems: readonly string[]])[] = [
    ['plain comments', 'a.ts', '// The server answers.\nconst a = 1;', []],
    ['a word of the list', 'a.ts', 'const a = 1;\n  // Nobody reads it.', ["a.ts:2: 'Nobody': write 'no client'"]],
    ['two words', 'a.ts', '/** It is told.', ["a.ts:1: 'is told': write 'learns'"]],
    ['in a docstring', 'a.ts', '/**\n * What nobody sees.\n */', ["a.ts:2: 'nobody': write 'no client'"]],
    ['things told apart', 'a.ts', '// One is told apart by its version.', []],
    ['a part of a longer word', 'a.ts', '// nobody-knows', []],
    ['names in back quotes', 'a.ts', '// The user `nobody` runs it.', []],
    ['code', 'a.ts', "const user = 'nobody';", []],
    ['a line of 120 columns', 'a.ts', `// ${'a'.repeat(117)}`, []],
    ['a longer line', 'a.ts', `// ${'a'.repeat(118)}`, ['a.ts:1: 121 columns, at most 120']],
    ['a long line of code', 'a.ts', `const a = '${'a'.repeat(118)}';`, []],
    ['what a function throws', 'a.ts', ' * @throws SyntaxError on anything else.', []],
    ['a type in braces', 'a.ts', ' * @throws {SyntaxError}', ["a.ts:1: '@throws': name the type alone"]],
    ['an article before a type', 'a.ts', ' * @throws a SyntaxError', ["a.ts:1: '@throws': name the type alone"]],
    ['a document', 'a.md', 'One line\nthat nobody reads', ["a.md:2: 'nobody': write 'no client'"]],
    ['code in a document', 'a.md', '```\nnobody\n```\nafter it nobody', ["a.md:4: 'nobody': write 'no client'"]],
    ['a long line of a document', 'a.md', 'a'.repeat(200), []],
  ];
  for (const [what, file, text, problems] of texts) {
    it(`${problems.length === 0 ? 'takes' : 'finds'} ${what}`, () => {
      assert.deepEqual(plainWordProblems(file, text, instead), problems);
    });
  }
});
