import assert from 'node:assert/strict';
import { MetricSet } from '#program/metrics/metric-set.ts';
import type { ValidatingAdmissionPolicy } from '#schema/generated/admissionregistration.v1.ts';
import { valueOfJson } from '../../expressions/json-values.ts';
import { evaluatePolicy } from './evaluate-policy.ts';
import { PolicyMetrics } from './policy-metrics.ts';
import { ExpressionRuns } from './run-expressions.ts';
import { readPolicy } from './validating-policy.ts';

type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>;

/** The series of a counter: the values of its labels, and its number. The histogram has as many observations. */
function series(set: MetricSet, name: string): string[] {
  const of = (family: string) => set.values().find((each) => each.family.name === `${name}_${family}`)?.series ?? [];
  const counts = of('total').map(([labels, [count]]) => [...labels, count].join(' '));
  const observed = of('duration_seconds').map(([labels, numbers]) =>
    [...labels, numbers.slice(0, -1).reduce((a, b) => a + b)].join(' '),
  );
  assert.deepEqual(observed.sort(), counts.sort());
  return counts;
}

/** The counts of a policy `p` with a binding `b` that has these actions. */
async function counted(spec: Spec, actions: readonly string[]): Promise<string[]> {
  const set = new MetricSet();
  const policy = readPolicy({ metadata: { name: 'p' }, spec });
  const verdict = await evaluatePolicy(policy, () => valueOfJson({ x: 1 }), new ExpressionRuns());
  new PolicyMetrics(set).validated('p', { name: 'b', actions }, verdict);
  return series(set, 'apiserver_validating_admission_policy_check');
}

describe('PolicyMetrics', () => {
  const rules = (...expressions: string[]) => ({ validations: expressions.map((expression) => ({ expression })) });
  const cases: readonly [about: string, spec: Spec, actions: readonly string[], counted: readonly string[]][] = [
    ['counts nothing for a rule that is true', rules('true'), ['Deny'], []],
    [
      'counts each action of a false rule',
      rules('false', 'true'),
      ['Deny', 'Audit'],
      ['audit invalid_error p b 1', 'deny invalid_error p b 1'],
    ],
    ['counts two false rules', rules('false', 'object.y == 1'), ['Warn'], ['warn invalid_error p b 2']],
    [
      'counts errors with failurePolicy Ignore',
      { failurePolicy: 'Ignore', ...rules('object.y == 1') },
      ['Deny'],
      ['allow invalid_error p b 1'],
    ],
    ['counts rules that do not compile', rules('object.'), ['Deny'], ['deny compile_error p b 1']],
    [
      'counts match conditions that fail with failurePolicy Ignore',
      { failurePolicy: 'Ignore', matchConditions: [{ name: 'c', expression: 'object.y == 1' }], ...rules('false') },
      ['Deny'],
      ['allow invalid_error p b 1'],
    ],
    [
      'counts audit annotations that fail',
      { auditAnnotations: [{ key: 'k', valueExpression: 'string(object.y)' }] },
      ['Warn'],
      ['deny invalid_error p b 1'],
    ],
  ];
  for (const [about, spec, actions, expected] of cases)
    it(about, async () => assert.deepEqual(await counted(spec, actions), expected));

  it('counts mutations with their results', () => {
    const set = new MetricSet();
    const metrics = new PolicyMetrics(set);
    const costly = 'validation failed due to running out of cost budget, no further validation rules will be run';
    for (const error of [undefined, 'compilation error: x', 'no', undefined, costly])
      metrics.mutated('p', 'b', 0.0001, error);
    assert.deepEqual(series(set, 'apiserver_mutating_admission_policy_check'), [
      'compile_error p b 1',
      'invalid_error p b 1',
      'no_error p b 2',
      'out_of_budget p b 1',
    ]);
  });
});
