import assert from 'node:assert/strict';
import { evaluate } from './evaluate.ts';
import { parseTemplate } from './parse.ts';

const object = {
  kind: 'Any',
  metadata: { name: 'x', annotations: { 'a.b': 'ab' } },
  data: { s: 'text', empty: '' },
  list: [
    { i: 1, f: 1.5, s: 'a', b: true, m: {}, a: [] },
    { i: 2, f: 2.5, s: 'b', b: false, m: { x: 1 }, a: [1] },
  ],
  nest: [
    [1, 2],
    [3, [4, 5]],
  ],
};

/** Templates and their results, part by part. */
const found: readonly (readonly [template: string, found: unknown[][]])[] = [
  ["{['data']['s']}", [['text']]],
  ["{.metadata['name', 'annotations'].a\\.b}", [['ab']]],
  // The text in quotes is also parsed as a path.
  ["{.metadata.annotations['a\\.b']}", [['ab']]],
  ["{.metadata.annotations['a.b']}", [[]]],
  ['{.nest[]}', [[[1, 2]]]],
  ['{.nest[*][0]}', [[1, 3]]],
  ['{.data.s.*}', [[116, 101, 120, 116]]],
  ['{.data..}', [[{ s: 'text', empty: '' }, 'text']]],
  ['{.nest..}', [[object.nest, [1, 2], [3, [4, 5]], [4, 5]]]],
  // `$` is the item of the loop or filter, not the root.
  ['{range .list[*]}{$.kind}{$.s}{end}', [[], ['a'], [], ['b']]],
  ['{.list[?($.kind=="Any")].s}', [[]]],
  ['{.list[?(@.i==1)].s}', [['a']]],
  ['{.list[?(@.nope==nope)].s}', [[]]],
  ['{.list[?(@.b!=true)].s}', [['b']]],
  ['{.list[?()].s}', [['a', 'b']]],
  ['{.list[?(@.s==")")].s}', [[]]],
  ['{"\\u0041\\101\\x41\\U0001F600\\t"}', [['AAA😀\t']]],
  ["{'a\"b'}", [['a"b']]],
  ['{1}{-2}{1-2}', [[1], [-2], [-2]]],
  ['{.data.s/x}{.data.s"a"}{.$}', [[], [], []]],
];

/** Templates that are malformed, or do not fit the object. */
const refused: readonly (readonly [template: string, message: string])[] = [
  ['{["a"]}', 'invalid array index "a"'],
  ["{.metadata['name'x]}", "invalid array index 'name'x"],
  ["{['a,b']}", "invalid array index 'a"],
  ['{.list[ 1]}', 'invalid array index  1'],
  ['{.list[-]}', 'array index - is not a number'],
  ['{.data[*]}', 'map[string]interface {} is not array or slice'],
  ['{.data[?(@.s)]}', 'map[empty: s:text] is not array or slice and cannot be filtered'],
  ['{.list[0].i[0]}', 'int64 is not array or slice'],
  ['{.list[0].a[0]}', 'array index out of bounds: index 0, length 0'],
  ['{"\\q"}', 'unquote string "\\q" error invalid syntax'],
  ['{"\\ud800"}', 'unquote string "\\ud800" error invalid syntax'],
  ['{"\\400"}', 'unquote string "\\400" error invalid syntax'],
  ['{"a\\\\"}', 'unterminated quoted string'],
  ['{..*}', "unrecognized character in action: U+002A '*'"],
  ['{\t.kind}', 'unrecognized character in action: U+0009'],
  ['{1e3}', 'unrecognized identifier e3'],
  ['{-}', 'cannot parse number -'],
  ['{.list[?(@.s=~"a")]}', "unrecognized character in action: U+007E '~'"],
  ['{.list[?(@.s="a")]}', 'unrecognized filter operator ='],
  ['{.list[?(@.s=="a" && @.i==1)]}', "unrecognized character in action: U+0026 '&'"],
  ['{.list[?(@.s in ("a"))]}', 'unclosed array expect ]'],
  ['{.list[?(@.s==1)]}', 'incompatible types for comparison'],
  ['{.list[?(@.i==1.0)]}', 'incompatible types for comparison'],
  ['{.list[?(@.f==1)]}', 'incompatible types for comparison'],
  ['{.list[?(@.b<true)]}', 'invalid type for comparison'],
  ['{.list[?(@.m=="a")]}', 'invalid type for comparison'],
  ['{.list[?(@.*=="a")]}', 'can only compare one element at a time'],
];

describe('JSONPath templates', () => {
  for (const [template, expected] of found)
    it(template, () => assert.deepEqual(evaluate(parseTemplate(template), object, true), expected));
  for (const [template, message] of refused)
    it(`${JSON.stringify(template)}: ${message}`, () =>
      assert.throws(() => evaluate(parseTemplate(template), object, true), { message }));
});
