import assert from 'node:assert/strict';
import { plainWordProblems } from './check-words.ts';

const instead = { whilst: 'while', 'is deemed': 'is' };

describe('check-words', () => {
  const texts: readonly (readonly [what: string, file: string, text: string, problems: readonly string[]])[] = [
    ['plain comments', 'a.ts', '// The server answers.\nconst a = 1;', []],
    ['a word of the list', 'a.ts', 'const a = 1;\n  // Whilst reads it.', ["a.ts:2: 'Whilst': write 'while'"]],
    ['two words', 'a.ts', '/** It is deemed.', ["a.ts:1: 'is deemed': write 'is'"]],
    ['a word in a docstring', 'a.ts', '/**\n * What whilst sees.\n */', ["a.ts:2: 'whilst': write 'while'"]],
    ['things deemed apart', 'a.ts', '// One is deemed apart by its version.', []],
    ['a part of a longer word', 'a.ts', '// whilst-knows', []],
    ['names in back quotes', 'a.ts', '// The user `whilst` runs it.', []],
    ['names in texts', 'a.ts', "const user = 'whilst';", []],
    ['a text', 'a.ts', "throw new Error('whilst answers');", ["a.ts:1: 'whilst': write 'while'"]],
    ['a comment behind code', 'a.ts', 'const a = 1; // for whilst', ["a.ts:1: 'whilst': write 'while'"]],
    ['the name of a variable', 'a.ts', 'const whilst = 1;', []],
    ['a line of 120 columns', 'a.ts', `// ${'a'.repeat(117)}`, []],
    ['a longer line', 'a.ts', `// ${'a'.repeat(118)}`, ['a.ts:1: 121 columns, at most 120']],
    ['a long line of code', 'a.ts', `const a = '${'a'.repeat(118)}';`, []],
    ['what a function throws', 'a.ts', '/** @throws SyntaxError on anything else. */', []],
    ['a type in braces', 'a.ts', '/** @throws {SyntaxError} */', ["a.ts:1: '@throws': name the type alone"]],
    ['an article before a type', 'a.ts', '/** @throws a SyntaxError */', ["a.ts:1: '@throws': name the type alone"]],
    ['a document', 'a.md', 'One line\nthat whilst reads', ["a.md:2: 'whilst': write 'while'"]],
    ['code in a document', 'a.md', '```\nwhilst\n```\nafter it whilst', ["a.md:4: 'whilst': write 'while'"]],
    ['a long line of a document', 'a.md', 'a'.repeat(200), []],
  ];
  for (const [what, file, text, problems] of texts) {
    it(`${problems.length === 0 ? 'accepts' : 'finds'} ${what}`, () => {
      assert.deepEqual(plainWordProblems(file, text, instead), problems);
    });
  }
});
