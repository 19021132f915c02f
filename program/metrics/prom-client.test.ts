import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Registry, Counter as TheirCounter, Gauge as TheirGauge, Histogram as TheirHistogram } from 'prom-client';
import { Counter, Gauge, Histogram, Summary } from './family.ts';
import { FamilyCollector } from './family-collector.ts';
import type { FamilyDefinition, FamilyValues } from './family-definition.ts';
import { MetricSet } from './metric-set.ts';
import { familyValues } from './prom-client-values.ts';
import { whole } from './testing/whole.ts';
import { writeText } from './write-text.ts';

/** One observation with long labels and numbers of every size. */
interface Observation {
  readonly labels: Readonly<Record<'path' | 'verb', string>>;
  readonly value: number;
}

const LABELS = ['path', 'verb'] as const;
const text = fc.oneof(
  fc.constantFrom('', 'GET', 'a"b', 'back\\slash', 'new\nline', 'é', '\\n'),
  fc.string({ unit: 'binary-ascii', maxLength: 8 }).filter((value) => !/[\r\0]/.test(value)),
);
const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 });
const observations = (value: fc.Arbitrary<number>) =>
  fc.array(fc.record<Observation>({ labels: fc.record({ path: text, verb: text }), value }), { maxLength: 30 });
const bounds = fc
  .uniqueArray(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 8 })
  .map((all) => all.map((bound) => bound + 0).sort((a, b) => a - b))
  .filter((all) => all.every((bound, i) => i === 0 || bound > all[i - 1]!));

/**
 * The lines of a text in a normal form: series and labels sorted, bounds spelled alike (`1e+06`, `1000000`), and values
 * that are no number spelled alike (`NaN`, `Nan`).
 */
function lines(of: string): string[] {
  return of
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (line.startsWith('#') || name === undefined) return line;
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([pair, label, bound]) =>
        label === 'le' && bound !== '+Inf' ? `le="${Number(bound)}"` : pair,
      );
      return `${name}{${pairs.sort().join()}} ${value!.toLowerCase()}`;
    })
    .sort();
}

async function ourText(values: Iterable<FamilyValues>): Promise<string> {
  return String(await whole(writeText(values)));
}

/** Counts the same values in a family and in a metric of prom-client, and compares all written forms. */
async function compare<F extends Counter | Gauge | Histogram>(
  make: { family: F; metric: (registry: Registry) => { get(): Promise<unknown>; name: string } },
  count: (family: F) => void,
): Promise<void> {
  const theirs = new Registry();
  const metric = make.metric(theirs);
  count(make.family);
  const values = make.family.values();
  if (values.series.length === 0) return;
  const ours = await ourText([values]);
  assert.deepEqual(lines(ours), lines(await theirs.metrics()), 'the same observations in prom-client');
  const face = new Registry();
  face.registerMetric(new FamilyCollector(make.family).metric);
  assert.deepEqual(lines(await face.metrics()), lines(ours), 'the family in a registry');
  const read = familyValues((await metric.get()) as never, make.family.definition);
  assert.equal(await ourText([read]), ours, 'what prom-client counted, in our text');
}

describe('metrics compared with prom-client', () => {
  const define = (type: FamilyDefinition['type'], buckets?: readonly number[]): FamilyDefinition => ({
    name: 'seen',
    type,
    help: 'What was seen, \\ and\nmore.',
    labels: LABELS,
    ...(buckets && { buckets }),
  });
  const theirs = { name: 'seen', help: 'What was seen, \\ and\nmore.', labelNames: LABELS };

  it('counters have the same text', () =>
    fc.assert(
      fc.asyncProperty(
        observations(fc.double({ noNaN: true, noDefaultInfinity: true, min: 0, max: 1e9 })),
        async (all) => {
          const family = new Counter(define('counter'));
          const metric = (registry: Registry) => {
            const counter = new TheirCounter({ ...theirs, registers: [registry] });
            for (const { labels, value } of all) counter.inc(labels, value);
            return Object.assign(counter, { name: 'seen' });
          };
          await compare({ family, metric }, () => {
            for (const { labels, value } of all) family.inc(labels, value);
          });
        },
      ),
    ));

  it('gauges have the same text, including infinite values', () =>
    fc.assert(
      fc.asyncProperty(
        observations(fc.oneof(finite, fc.constantFrom(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY))),
        async (all) => {
          const family = new Gauge(define('gauge'));
          const metric = (registry: Registry) => {
            const gauge = new TheirGauge({ ...theirs, registers: [registry] });
            for (const { labels, value } of all) gauge.set(labels, value);
            return Object.assign(gauge, { name: 'seen' });
          };
          await compare({ family, metric }, () => {
            for (const { labels, value } of all) family.set(labels, value);
          });
        },
      ),
    ));

  it('histograms have the same text', () =>
    fc.assert(
      fc.asyncProperty(observations(finite), bounds, async (all, buckets) => {
        const family = new Histogram(define('histogram', buckets));
        const metric = (registry: Registry) => {
          const histogram = new TheirHistogram({ ...theirs, buckets, registers: [registry] });
          for (const { labels, value } of all) histogram.observe(labels, value);
          return Object.assign(histogram, { name: 'seen' });
        };
        await compare({ family, metric }, () => {
          for (const { labels, value } of all) family.observe(labels, value);
        });
      }),
    ));

  it('summaries have the same text in both writers', () =>
    fc.assert(
      fc.asyncProperty(observations(fc.double({ noNaN: true, min: 1e-6, max: 1e3 })), async (all) => {
        const family = new Summary(define('summary'));
        for (const { labels, value } of all) family.of(labels).observe(value);
        if (all.length === 0) return;
        const face = new Registry();
        const collector = new FamilyCollector(family);
        face.registerMetric(collector.metric);
        const ours = await ourText([family.values()]);
        assert.deepEqual(lines(await face.metrics()), lines(ours));
        assert.equal(await ourText([familyValues((await collector.get()) as never, family.definition)]), ours);
      }),
    ));
});

describe('the registry of a MetricSet', () => {
  const limited = (disabled: readonly string[] = []) =>
    new MetricSet({
      limits: {
        disabled,
        allowedValues: new Map([['queue_length', new Map([['queue', new Set(['a', 'b'])]])]]),
      },
    });

  it('shows metrics of the table and metrics that prom-client code registers', async () => {
    const set = limited();
    set.gauge('apiserver_workers').set({ state: 'serving' }, 2);
    let length = 1;
    new TheirGauge({
      name: 'queue_length',
      help: 'Waiting.',
      labelNames: ['queue'],
      registers: [set.registry],
      collect() {
        for (const queue of ['c', 'b', 'd']) this.set({ queue }, length);
      },
    });
    await set.collect();
    length = 5;
    await set.collect();
    assert.equal(
      await ourText(set.inTurn()),
      [
        '# HELP apiserver_workers [ALPHA] Number of workers: serving, and configured.',
        '# TYPE apiserver_workers gauge',
        'apiserver_workers{state="serving"} 2',
        '# HELP queue_length Waiting.',
        '# TYPE queue_length gauge',
        // All other values are counted together.
        'queue_length{queue="b"} 5',
        'queue_length{queue="unexpected"} 10',
        '',
      ].join('\n'),
    );
    assert.match(await set.registry.metrics(), /^apiserver_workers\{state="serving"\} 2$/m);
  });

  it('shows no disabled metric and no metric without a number', async () => {
    const set = limited(['queue_length']);
    for (const name of ['queue_length', 'queue_age'])
      new TheirGauge({ name, help: 'Waiting.', registers: [set.registry] }).set(name === 'queue_age' ? Number.NaN : 1);
    await set.collect();
    assert.equal(await ourText(set.inTurn()), '');
  });
});
