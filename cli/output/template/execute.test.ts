import assert from 'node:assert/strict';
import { execute } from './execute.ts';
import { parseGoTemplate, TemplateSyntaxError } from './parse.ts';

const data = { name: 'it', list: [{ name: 'a' }, { name: 'b' }], number: 3, nothing: null };

/** Templates with their text, and with their error if they fail. */
const cases: readonly (readonly [template: string, text: string, mistake?: string])[] = [
  ['{{range $i, $e := .list}}{{$i}}{{$e.name}} {{else}}none{{end}}', '0a 1b '],
  ['{{with .nope}}a{{else with .name}}{{.}}{{end}}', 'it'],
  ['{{$x := 1}}{{if .name}}{{$x = 2}}{{end}}{{$x}}', '2'],
  ['a {{- /* no */ -}} b', 'ab'],
  [
    'é{{.name}}\n é{{.name.x}}',
    'éit\n é',
    `2:10: executing "output" at <.name.x>: can't evaluate field x in type interface {}`,
  ],
  ['{{.nothing.x}}', '', '1:10: executing "output" at <.nothing.x>: nil pointer evaluating interface {}.x'],
  [
    '{{template "t" .list}}{{define "t"}}{{index . 7}}{{end}}',
    '',
    '1:38: executing "t" at <index . 7>: error calling index: index out of range: 7',
  ],
  ['{{.name | len 1}}', '', '1:10: executing "output" at <len>: wrong number of args for len: want 1 got 2'],
];

/** Texts that are not templates. */
const wrong: readonly (readonly [template: string, said: string, line?: number])[] = [
  ['{{.name', 'unclosed action'],
  ['{{.name\n', 'unclosed action started at output:1', 2],
  ['\n{{(1}}', 'unclosed left paren', 2],
  ['{{if .x}}', 'unexpected EOF'],
  ['{{end}}', 'unexpected {{end}}'],
  ['{{$x}}', 'undefined variable "$x"'],
  ['{{if true}}{{$y := 1}}{{end}}{{$y}}', 'undefined variable "$y"'],
  ['{{abcdefghijklm}}', 'function "abcdefghijklm" not defined'],
  ['{{template abcdefghijklm}}', 'unexpected "abcdefghij"... in template clause'],
];

describe('Go templates', () => {
  for (const [template, text, mistake] of cases)
    it(template, () => {
      const expected = mistake === undefined ? { text } : { text, mistake: `template: output:${mistake}` };
      assert.deepEqual(execute(parseGoTemplate(template), data), expected);
    });
  for (const [template, said, line = 1] of wrong)
    it(`parseGoTemplate refuses ${JSON.stringify(template)}`, () =>
      assert.throws(
        () => parseGoTemplate(template),
        (error) => error instanceof TemplateSyntaxError && error.message === said && error.line === line,
      ));
  it('execute refuses missing fields without allowMissing', () => {
    const { text, mistake } = execute(parseGoTemplate('{{.name}}{{.nope}}'), data, { allowMissing: false });
    assert.deepEqual(
      [text, mistake],
      ['it', 'template: output:1:11: executing "output" at <.nope>: map has no entry for key "nope"'],
    );
  });
});
