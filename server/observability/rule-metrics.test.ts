import assert from 'node:assert/strict';
import { atOnce } from '#base/time/steps.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { validateRules } from '../custom-resources/cel/validate-rules.ts';
import { compiled } from '../custom-resources/schema/testing/schemas.ts';
import { ruleMetrics } from './rule-metrics.ts';

describe('metrics of validation rules', () => {
  /** How often each was counted. */
  const counts = (metrics: MetricSet) =>
    Object.fromEntries(
      metrics
        .values()
        .map(({ family, series }) => [
          family.name.split('_')[2],
          series[0]![1].slice(0, -1).reduce((sum, count) => sum + count, 0),
        ]),
    );

  it('count each compilation and each evaluation, until they are disabled', () => {
    const metrics = new MetricSet();
    const counting = new AbortController();
    ruleMetrics(metrics, counting.signal);
    const rules = [{ rule: 'self.a > 1' }, { rule: 'self.a < 5' }];
    const schema = compiled({ type: 'object', properties: { a: { type: 'integer' } }, 'x-orch-validations': rules });
    for (const a of [2, 3, 9]) atOnce(validateRules(schema, { a }, undefined));
    assert.deepEqual(counts(metrics), { compilation: 2, evaluation: 6 });
    counting.abort();
    atOnce(validateRules(schema, { a: 2 }, undefined));
    assert.deepEqual(counts(metrics), { compilation: 2, evaluation: 6 });
  });
});
