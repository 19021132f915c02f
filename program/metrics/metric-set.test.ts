import assert from 'node:assert/strict';
import type { Counter } from './family.ts';
import type { FamilyDefinition } from './family-definition.ts';
import { lifeStage, shownHelp } from './life-cycle.ts';
import { type MetricLimits, MetricSet } from './metric-set.ts';
import { whole } from './testing/whole.ts';
import { writeText } from './write-text.ts';

const RELEASE = { major: '1', minor: '25' };
const NONE: MetricLimits = { disabled: [], allowedValues: new Map() };

/** The lines of a set that counted two webhooks, without help and types. */
async function lines(limits: Partial<MetricLimits>): Promise<string[]> {
  const metrics = new MetricSet({ limits: { ...NONE, ...limits } });
  const failed = metrics.counter('apiserver_admission_webhook_fail_open_count');
  for (const name of ['a', 'b', 'c', 'a']) failed.inc({ name, type: 'admit' });
  metrics.gauge('process_open_fds').set({}, 7);
  return String(await whole(writeText(metrics.values())))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

describe('MetricSet', () => {
  it('leaves out disabled metrics', async () => {
    assert.deepEqual(await lines({ disabled: ['apiserver_admission_webhook_fail_open_count', 'unknown'] }), [
      'process_open_fds 7',
    ]);
  });

  it('counts label values that are not allowed as "unexpected"', async () => {
    const name = 'apiserver_admission_webhook_fail_open_count';
    const allowedValues = new Map([[name, new Map([['name', new Set(['a'])]])]]);
    assert.deepEqual(await lines({ allowedValues }), [
      `${name}{name="a",type="admit"} 2`,
      `${name}{name="unexpected",type="admit"} 2`,
      'process_open_fds 7',
    ]);
  });

  it('limits the number of series of a metric', () => {
    const metrics = new MetricSet();
    const failed = metrics.counter('apiserver_admission_webhook_fail_open_count');
    for (let i = 0; i < 12_000; i++) failed.inc({ name: `webhook-${i}`, type: 'admit' });
    failed.inc({ name: 'x'.repeat(1000), type: 'admit' });
    const [{ series }] = metrics.values() as [ReturnType<typeof metrics.values>[0]];
    assert.equal(series.length, 10_001);
    assert.deepEqual(series[0], [['unexpected', 'unexpected'], [2001]]);
  });

  it('uses the metric names of the naming', () => {
    const metrics = new MetricSet({ translate: (text) => text.replace(/^orch_/, 'other_') });
    metrics.gauge('orch_build_info');
    assert.deepEqual(
      metrics.values().map(({ family }) => family.name),
      ['other_build_info'],
    );
  });

  it('returns the same metric for each call with the same name', () => {
    const metrics = new MetricSet();
    assert.equal(metrics.counter('apiserver_audit_event_total'), metrics.counter('apiserver_audit_event_total'));
  });
});

describe('the life cycle of a metric', () => {
  const announced = (deprecatedSince?: string): FamilyDefinition => ({
    name: 'things_total',
    type: 'counter',
    help: 'Counts things.',
    stability: 'STABLE',
    ...(deprecatedSince === undefined ? {} : { deprecatedSince }),
  });
  const cases: readonly [since: string | undefined, stage: string, help: string][] = [
    [undefined, 'current', '[STABLE] Counts things.'],
    ['1.26', 'current', '[STABLE] Counts things.'],
    ['1.25', 'deprecated', '[STABLE] (Deprecated since 1.25.0) Counts things.'],
    ['1.23', 'deprecated', '[STABLE] (Deprecated since 1.23.0) Counts things.'],
    ['1.22', 'hidden', '[STABLE] (Deprecated since 1.22.0) Counts things.'],
    ['1.21', 'deleted', '[STABLE] (Deprecated since 1.21.0) Counts things.'],
  ];
  for (const [since, stage, help] of cases) {
    it(`deprecated since ${since ?? 'never'}: ${stage}`, () => {
      assert.equal(lifeStage(announced(since), RELEASE), stage);
      assert.equal(shownHelp(announced(since), RELEASE), help);
    });
  }

  it('shows hidden metrics only with the flag and warns about each deprecated metric once', () => {
    const table = new Map(
      [undefined, '1.24', '1.22', '1.21'].map((since, i) => [
        `family_${i}`,
        { ...announced(since), name: `family_${i}` },
      ]),
    );
    for (const [showsHidden, shown] of [
      [false, ['family_0', 'family_1']],
      [true, ['family_0', 'family_1', 'family_2']],
    ] as const) {
      const told: string[] = [];
      const metrics = new MetricSet({
        release: RELEASE,
        table,
        limits: { ...NONE, showsHidden },
        warn: (text) => told.push(text),
      });
      for (const round of [1, 2])
        for (const name of table.keys()) {
          const counter = metrics.counter(name as never) as unknown as Counter<never>;
          counter.inc({}, round);
        }
      assert.deepEqual(
        metrics.values().map(({ family }) => family.name),
        shown,
      );
      assert.deepEqual(
        told,
        shown.slice(1).map((name) => `Metric ${name} is deprecated since ${table.get(name)!.deprecatedSince}.`),
      );
    }
  });
});
