import assert from 'node:assert/strict';
import { latestRelease } from '#base/release/release.ts';
import { type Answers, compileAdmission } from './admission/compile-condition.ts';
import { Evaluator } from './admission/evaluator.ts';
import { environmentOf } from './environment.ts';
import { jsonOf } from './json-of-value.ts';
import { valueOfJson } from './json-values.ts';

const SEEN = { metadata: { name: 'a' }, list: [{ n: 'x' }, { n: 'y' }], big: 7 };
const inputs = () => valueOfJson(SEEN);

/** The result of an expression as JSON, or its error. */
function made(text: string, answers: Answers = []): unknown {
  const compiled = compileAdmission(text, { mutates: true }, answers, environmentOf(latestRelease));
  if ('problem' in compiled) return compiled.problem.split('\n', 1)[0];
  const result = new Evaluator(inputs, [], 1_000_000).evaluate(compiled);
  return 'error' in result ? result.error : jsonOf(result.value);
}

const compilation = (at: string, problem: string) => `compilation failed: ERROR: <input>:${at}: ${problem}`;
const OBJECT: Answers = ['Object'];
const PATCH: Answers = ['list(JSONPatch)'];

const CASES: [text: string, answers: Answers, made: unknown][] = [
  ['Object{}', OBJECT, {}],
  [
    'Object { metadata : Object.metadata { name: "b" , labels: {"a": \'b\'}, }, }',
    OBJECT,
    { metadata: { name: 'b', labels: { a: 'b' } } },
  ],
  [
    'Object{metadata: Object.metadata{namespace: "x", in: 1, if: [1, 2]}}',
    OBJECT,
    { metadata: { namespace: 'x', in: 1, if: [1, 2] } },
  ],
  ['Object{l: object.list.map(i, Object.l{n: i.n})}', OBJECT, { l: [{ n: 'x' }, { n: 'y' }] }],
  ['Object{a: object.list, ?b: object.?nothing, ?c: object.?big}', OBJECT, { a: SEEN.list, c: 7 }],
  ['has(object.x) ? Object{} : Object{a: Object.a{b: 1}.b + 1}', OBJECT, { a: 2 }],
  ['has(object.x) ? Object{} : null', OBJECT, null],
  ['Object{a: 1} == Object{a: 1} && Object{a: 1} != Object{a: 2}', ['bool'], true],
  [
    'Object.a{} != Object.b{}',
    [],
    compilation('1:12', "found no matching overload for '_!=_' applied to '(Object.a, Object.b)'"),
  ],
  ['{"a": 1 in {1: 2} ? {"b": true ? {} : {}} : {}}', [], { a: { b: {} } }],
  [
    "[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('x/y~z'), value: Object{x: 1}}]",
    PATCH,
    [{ op: 'add', path: '/a/x~1y~0z', value: { x: 1 } }],
  ],
  ['false ? [JSONPatch{}] : []', PATCH, []],
  ['false ? [] : [JSONPatch{}]', PATCH, [{}]],
  ['[]', PATCH, 'must evaluate to list(JSONPatch) but got list(dyn)'],
  ['Object.spec{}', OBJECT, 'must evaluate to Object but got Object.spec'],
  ['Objekt{}', OBJECT, compilation('1:7', "undeclared reference to 'Objekt' (in container '')")],
  ['x.y.z { a: 1 }', OBJECT, compilation('1:7', "undeclared reference to 'x.y.z' (in container '')")],
  [
    '[JSONPatch{op: 1}]',
    PATCH,
    compilation('1:14', "expected type of field 'op' is 'string' but provided type is 'int'"),
  ],
  [
    "[JSONPatch{nosuch: 'a'}]",
    PATCH,
    compilation('1:18', "expected type of field 'nosuch' is '' but provided type is 'string'"),
  ],
  ['[1, JSONPatch{}]', PATCH, compilation('1:14', "expected type 'int' but found 'JSONPatch'")],
  ['Object{a: nosuch}', OBJECT, compilation('1:11', "undeclared reference to 'nosuch' (in container '')")],
  ['nosuch.call()', [], compilation('1:1', "undeclared reference to 'nosuch' (in container '')")],
  ['object.list[0]{a: 1}', [], compilation('1:15', "Syntax error: Unexpected character: '{'")],
];

describe('messages in expressions', () => {
  for (const [text, answers, expected] of CASES) it(text, () => assert.deepEqual(made(text, answers), expected));

  it('are unknown in expressions that do not mutate', () => {
    const compiled = compileAdmission('Object{}', {}, [], environmentOf(latestRelease));
    assert.match('problem' in compiled ? compiled.problem : '', /1:7: undeclared reference to 'Object'/);
  });

  it('are converted to JSON of bounded size', () => {
    const double = (times: number) => `${'Object{a: ['.repeat(times)}1${']}'.repeat(times)}`;
    assert.equal(JSON.stringify(made(double(60))).length, 8 * 60 + 1);
    let text = 'object.list';
    for (let i = 0; i < 20; i++) text = `[${text}].map(x, [x, x])`;
    assert.throws(() => made(text), /too large/);
    assert.throws(() => made('{1: 2}'), /map key "1" is of type int, not string/);
    assert.throws(() => made('[1.0 / 0.0]'), /no JSON form/);
  });
});
