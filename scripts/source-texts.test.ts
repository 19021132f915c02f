import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sourceTexts } from './source-texts.ts';

describe('sourceTexts', () => {
  const sources: readonly (readonly [what: string, source: string, texts: readonly string[]])[] = [
    ['a comment behind code', 'f(); // why', ['1 comment // why']],
    ['a docstring of two lines', '\n/** What\n * it does */', ['2 comment /** What\n * it does */']],
    ['texts in both quotes', `f('a b', "c'd")`, ['1 text a b', "1 text c'd"]],
    ['a quote in a text', String.raw`f('a\'b')`, [String.raw`1 text a\'b`]],
    ['a slash in a text', "f('http://a') // b", ['1 text http://a', '1 comment // b']],
    ['a template', `f(\`a \${b} c\`)`, ['1 text a ', '1 text  c']],
    ['a text in a template', `f(\`a \${b({ c: 'd' })} e\`)`, ['1 text a ', '1 text d', '1 text  e']],
    ['a template in a template', `f(\`a \${\`b \${c}\`} d\`)`, ['1 text a ', '1 text b ', '1 text  d']],
    ['a quote in a regular expression', "f(/['/]/.test(a), 'b')", ['1 text b']],
    ['divisions', "a / b; c = d / 'e'", ['1 text e']],
    ['a comment in a template', 'f(`// a`)', ['1 text // a']],
  ];
  for (const [what, source, texts] of sources)
    it(`finds ${what}`, () => {
      const found = sourceTexts(source).map(({ kind, line, text }) => `${line} ${kind} ${text}`);
      assert.deepEqual(found, texts);
    });

  it('finds every docstring of the programs', () => {
    const root = path.resolve(import.meta.dirname, '..');
    for (const file of globSync('{base,schema,program,client,server,cli,controllers}/**/!(*.test).ts', { cwd: root })) {
      const source = readFileSync(path.join(root, file), 'utf8');
      const comments = sourceTexts(source).filter(({ kind }) => kind === 'comment');
      const lines = new Set(comments.flatMap(({ line, text }) => text.split('\n').map((_, offset) => line + offset)));
      for (const [index, line] of source.split('\n').entries())
        if (/^\s*\/\*\*/.test(line)) assert.ok(lines.has(index + 1), `${file}:${index + 1}`);
    }
  });
});
