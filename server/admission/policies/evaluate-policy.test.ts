import assert from 'node:assert/strict';
import type { JsonValue } from '#base/json/json-value.ts';
import type { ValidatingAdmissionPolicy } from '#schema/generated/admissionregistration.v1.ts';
import type { AccessQuestion } from '../../api/access.ts';
import { AuthorizerValue, rememberingAsk } from '../../expressions/access-values.ts';
import { valueOfJson } from '../../expressions/json-values.ts';
import { evaluatePolicy } from './evaluate-policy.ts';
import { ExpressionRuns } from './run-expressions.ts';
import { readPolicy } from './validating-policy.ts';

type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>;

const SEEN: Readonly<Record<string, JsonValue>> = {
  object: { metadata: { name: 'a' }, data: { x: 'bad', n: '3' }, count: 2, list: ['b', 'a'] },
  oldObject: null,
  request: { operation: 'CREATE', userInfo: { username: 'jane' } },
  params: { data: { allowed: 'good' } },
  namespaceObject: { metadata: { name: 'n', labels: { team: 'blue' } } },
};

const asked: string[] = [];

/** Allows every `get`, after a short time. */
async function access({ verb, resource, path = '', fieldSelector, labelSelector }: AccessQuestion) {
  const selectors = [fieldSelector, labelSelector].flatMap((one) => one?.rawSelector ?? []);
  asked.push([`${verb} ${resource}${path}`, ...selectors].join(' '));
  await Promise.resolve();
  return { allowed: verb === 'get', reason: `${verb} is what it is` };
}

/** The result of a policy: messages of failed rules, `key=value` of annotations, and errors of annotations. */
async function said(spec: Spec): Promise<string[]> {
  const policy = readPolicy({ metadata: { name: 'p' }, spec });
  const authorizer = new AuthorizerValue(rememberingAsk(access), { name: 'jane', uid: '', groups: [], extra: {} });
  const inputs = (name: string) => (name === 'authorizer' ? authorizer : valueOfJson(SEEN[name] ?? null));
  const { failures, annotations, annotationErrors } = await evaluatePolicy(policy, inputs, new ExpressionRuns());
  return [
    ...failures.map(({ message, reason }) => (reason === 'Invalid' ? message : `${reason}: ${message}`)),
    ...annotations.map((pair) => pair.join('=')),
    ...annotationErrors.map(({ message }) => message),
  ];
}

const rule = (expression: string, more: object = {}) => ({ validations: [{ expression, ...more }] });
const LOOPS = "object.list.all(a, object.list.all(b, a != 'c'))";
const LONG = `[1,2,3,4,5,6,7,8,9,10].all(a, ${'[1,2,3,4,5,6,7,8,9,10].all(b, '.repeat(5)}a > 0${')'.repeat(6)}`;

const CASES: [about: string, spec: Spec, said: string[]][] = [
  ['rules that are true', rule("object.data.n == '3' && oldObject == null"), []],
  ['a rule that is false', rule("object.data.x != 'bad'"), ["failed expression: object.data.x != 'bad'"]],
  ['the message of a false rule', rule('false', { message: ' no ' }), ['no']],
  ['the reason of a false rule', rule('false', { message: 'no', reason: 'Forbidden' }), ['Forbidden: no']],
  ['a message expression', rule('false', { messageExpression: "'not ' + object.data.x", message: 'm' }), ['not bad']],
  ['a message expression that fails', rule('false', { messageExpression: 'object.data.y', message: 'm' }), ['m']],
  ['a message expression with several lines', rule('false', { messageExpression: "'a\\nb'", message: 'm' }), ['m']],
  ['integers', rule('object.count + 1 == 3 && object.list.size() == 2'), []],
  ['loops', rule(LOOPS), []],
  [
    'parameters',
    { paramKind: { kind: 'ConfigMap' }, ...rule('object.data.x == params.data.allowed', { message: 'm' }) },
    ['m'],
  ],
  ['the namespace', rule("namespaceObject.metadata.labels.team == 'red'", { message: 'm' }), ['m']],
  [
    'a rule that fails with an error',
    rule("object.data.y == 'v'"),
    ["expression 'object.data.y == 'v'' resulted in error: no such key: y"],
  ],
  ['a rule that fails with failurePolicy Ignore', { failurePolicy: 'Ignore', ...rule("object.data.y == 'v'") }, []],
  ['a false rule with failurePolicy Ignore', { failurePolicy: 'Ignore', ...rule('false', { message: 'm' }) }, ['m']],
  [
    'an evaluation that costs too much',
    rule(LONG),
    [`expression '${LONG}' resulted in error: operation cancelled: actual cost limit exceeded`],
  ],
  [
    'rules that cost too much together',
    { validations: Array.from({ length: 11 }, () => ({ expression: LONG })) },
    ['validation failed due to running out of cost budget, no further validation rules will be run'],
  ],
  ['match conditions that are false', { matchConditions: [{ name: 'c', expression: 'false' }], ...rule('false') }, []],
  [
    'match conditions of which one is false and one fails',
    {
      matchConditions: ['object.y', 'object.y == 1', 'false'].map((expression) => ({ name: 'c', expression })),
      ...rule('false'),
    },
    [],
  ],
  [
    'variables',
    {
      variables: [
        { name: 'a', expression: 'object.count' },
        { name: 'b', expression: 'variables.a * 2' },
        { name: 'broken', expression: 'object.nothing' },
      ],
      ...rule('variables.b == 5', { messageExpression: "'b is ' + string(variables.b)" }),
    },
    ['b is 4'],
  ],
  [
    'a variable that fails',
    { variables: [{ name: 'v', expression: 'object.y' }], ...rule('variables.v == 1') },
    [`expression 'variables.v == 1' resulted in error: composited variable "v" fails to evaluate: no such key: y`],
  ],
  [
    'a variable that uses itself',
    {
      variables: [
        { name: 'v', expression: '1' },
        { name: 'v', expression: 'variables.v + 1' },
      ],
      ...rule('variables.v == 2'),
    },
    [
      `expression 'variables.v == 2' resulted in error: composited variable "v" fails to evaluate: composited variable "v" needs its own value`,
    ],
  ],
  [
    'audit annotations',
    {
      auditAnnotations: [
        { key: 'k', valueExpression: "'x is ' + object.data.x" },
        { key: 'none', valueExpression: 'null' },
        { key: 'wrong', valueExpression: 'string(object.y)' },
      ],
    },
    ['k=x is bad', "expression 'string(object.y)' resulted in error: no such key: y"],
  ],
  [
    'checks of the authorizer for resources',
    rule("authorizer.group('').resource('pods').namespace('n').check('delete').allowed()", {
      message: 'may not delete',
    }),
    ['may not delete'],
  ],
  [
    'a check of the authorizer for an empty path',
    rule("authorizer.path('').check('get').allowed()"),
    ["expression 'authorizer.path('').check('get').allowed()' resulted in error: path must not be empty"],
  ],
  ['checks of the authorizer for paths', rule("authorizer.path('/x').check('get').allowed()"), []],
];

describe('evaluatePolicy', () => {
  for (const [about, spec, expected] of CASES)
    it(`evaluates ${about}`, async () => {
      assert.deepEqual(await said(spec), expected);
    });

  it('asks the authorizer each question once', async () => {
    asked.length = 0;
    const check = "authorizer.group('').resource('secrets').check('get').allowed()";
    assert.deepEqual(await said({ validations: [{ expression: `${check} && ${check}` }, { expression: check }] }), []);
    assert.deepEqual(asked, ['get secrets']);
  });

  it('passes the last field selector and the last label selector of a check to the authorizer', async () => {
    asked.length = 0;
    const pods = "authorizer.group('').resource('pods')";
    const check = (selectors: string) => ({ expression: `${pods}${selectors}.check('get').allowed()` });
    const selectors = ".fieldSelector('a=b').fieldSelector('spec.nodeName=n').labelSelector('x in (y,z)')";
    const validations = [check(selectors), check(''), check(".labelSelector('x')")];
    assert.deepEqual(await said({ validations }), []);
    assert.deepEqual(asked, ['get pods spec.nodeName=n x in (y,z)', 'get pods', 'get pods x']);
  });
});
