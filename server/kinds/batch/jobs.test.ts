import assert from 'node:assert/strict';
import type { Job } from '#schema/generated/batch.v1.ts';
import { KindHarness } from '../apps/testing/kind-harness.ts';
import { cronJob } from './cron-job.ts';
import { job } from './job.ts';

const pod = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] };
const body = (spec: object, metadata: object = {}, labels?: object) => ({
  metadata: { name: 'j', namespace: 'n', ...metadata },
  spec: { template: { ...(labels && { metadata: { labels } }), spec: pod }, ...spec },
});
const jobs = new KindHarness(job, 'batch.v1.Job');
const own = { 'controller-uid': 'u1', 'job-name': 'j' };

describe('Jobs', () => {
  const labelled: [title: string, metadata: object, template: object | undefined, labels: object][] = [
    ['without labels get the labels of their pods', {}, undefined, own],
    ['without labels get the labels of their template', {}, { mine: 'x' }, { ...own, mine: 'x' }],
    ['with labels keep their own labels', { labels: { l: 'v' } }, { mine: 'x' }, { l: 'v' }],
    ['with the same labels as their template keep their own labels', { labels: { l: 'v' } }, { l: 'v' }, { l: 'v' }],
  ];
  for (const [title, metadata, template, labels] of labelled) {
    it(title, () => {
      const created = jobs.create(body({}, metadata, template)).object as Job;
      assert.deepEqual(created.metadata.labels, labels);
      assert.deepEqual(created.spec?.selector, { matchLabels: { 'controller-uid': 'u1' } });
      assert.deepEqual(created.spec?.template.metadata?.labels, { ...own, ...template });
    });
  }

  it('have one completion by default', () => {
    const counts = (spec: object) => {
      const { parallelism, completions } = (jobs.create(body(spec)).object as Job).spec ?? {};
      return [parallelism, completions];
    };
    assert.deepEqual(counts({}), [1, 1]);
    assert.deepEqual(counts({ parallelism: 3 }), [3, undefined]);
    assert.deepEqual(counts({ completions: 3 }), [1, 3]);
  });

  it('accept a selector only with manualSelector', () => {
    const manual = { manualSelector: true, selector: { matchLabels: { a: 'b' } } };
    const created = jobs.create(body(manual, {}, { a: 'b' }));
    assert.deepEqual(created.errors, []);
    assert.deepEqual((created.object as Job).spec?.template.metadata?.labels, { a: 'b' });
    assert.equal(jobs.create(body({ selector: { matchLabels: { a: 'b' } } }, {}, { a: 'b' })).errors.length, 1);
  });

  it('can change their node selector until they start', () => {
    const { object } = jobs.create(body({ suspend: true }));
    const { template } = (object as Job).spec!;
    const moved = { template: { ...template, spec: { ...template.spec, nodeSelector: { a: 'b' } } } };
    assert.deepEqual(jobs.update(object, moved).errors, []);
    const started = { ...object, status: { startTime: '2026-01-01T00:00:00Z' } };
    assert.match(jobs.update(started, moved).errors.join(), /^spec.template: Invalid value/);
    const renamed = { template: { ...template, spec: { ...template.spec, hostname: 'h' } } };
    assert.match(jobs.update(object, renamed).errors.join(), /^spec.template: Invalid value/);
  });

  it('can lose or get node affinity while they are suspended, but not lose other affinity', () => {
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } };
    const steered = (affinity: object | undefined) => {
      const { object } = jobs.create(body({ suspend: true }));
      const { template } = (object as Job).spec!;
      return { object, template: { ...template, spec: { ...template.spec!, ...(affinity && { affinity }) } } };
    };
    const changed = (from: object, to: object | undefined) => {
      const { object, template } = steered(from);
      const stored = { ...object, spec: { ...(object as Job).spec, template } };
      return jobs.update(stored, { template: steered(to).template }).errors.length;
    };
    assert.equal(changed({ nodeAffinity }, undefined), 0);
    assert.equal(changed({}, { nodeAffinity }), 0);
    assert.equal(changed({ nodeAffinity, podAffinity: {} }, undefined), 1);
  });

  it('show completions and duration in tables', () => {
    const cells = (spec: object, status: object) => {
      const { object } = jobs.create(body(spec));
      return jobs.cells({ ...object, status }, Date.parse('2026-01-01T01:00:00Z')).slice(2, 4);
    };
    const startTime = '2026-01-01T00:00:00Z';
    assert.deepEqual(cells({ completions: 3 }, { succeeded: 2, startTime }), ['2/3', '60m']);
    assert.deepEqual(cells({ parallelism: 4 }, {}), ['0/1 of 4', '']);
    assert.deepEqual(cells({}, { startTime, completionTime: '2026-01-01T00:01:30Z' }), ['0/1', '90s']);
  });
});

describe('a pod failure policy', () => {
  const gated = new KindHarness(job, 'batch.v1.Job', ['JobPodFailurePolicy']);
  const onExit = (fields: object) => ({ action: 'FailJob', onExitCodes: { operator: 'In', values: [1], ...fields } });
  const rules: [title: string, rule: object, errors: string[]][] = [
    ['accepts an exit code', onExit({}), []],
    ['accepts a pod condition', { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }, []],
    [
      'needs exit codes or pod conditions',
      { action: 'Count' },
      ['Invalid value: specifying one of OnExitCodes and OnPodConditions is required'],
    ],
    [
      'refuses exit code 0 with operator In',
      onExit({ values: [0] }),
      ['onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator'],
    ],
    [
      'needs exit codes in order',
      onExit({ values: [2, 1] }),
      ['onExitCodes.values: Invalid value: [2,1]: must be ordered'],
    ],
    [
      'needs an action',
      { ...onExit({}), action: '' },
      ['action: Required value: valid values: ["Count" "FailJob" "Ignore"]'],
    ],
  ];
  for (const [title, rule, errors] of rules) {
    it(title, () => {
      const found = gated.create(body({ podFailurePolicy: { rules: [rule] } })).errors;
      const path = 'spec.podFailurePolicy.rules[0]';
      assert.deepEqual(
        found,
        errors.map((error) => `${path}${error.startsWith('Invalid') ? ': ' : '.'}${error}`),
      );
    });
  }

  it('is dropped if its gate is disabled', () => {
    const { object } = jobs.create(body({ podFailurePolicy: { rules: [{ action: 'Odd' }] } }));
    assert.equal((object as Job).spec?.podFailurePolicy, undefined);
  });
});

describe('CronJobs', () => {
  const crons = new KindHarness(cronJob, 'batch.v1.CronJob');
  const cron = (spec: object, name = 'c') => ({
    metadata: { name },
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: pod } } }, ...spec },
  });
  const refused: [spec: object, name: string, error: RegExp][] = [
    [{ schedule: '' }, 'c', /^spec.schedule: Required value$/],
    [{ timeZone: 'Nowhere' }, 'c', /^spec.timeZone: .*unknown time zone Nowhere$/],
    [{ timeZone: 'local' }, 'c', /^spec.timeZone: .*must be an explicit time zone/],
    [{ timeZone: '' }, 'c', /^spec.timeZone: .*must be nil or non-empty string$/],
    [{ schedule: 'TZ=UTC 0 0 * * *', timeZone: 'UTC' }, 'c', /^spec.schedule: .*cannot use both/],
    [{ concurrencyPolicy: 'Odd' }, 'c', /^spec.concurrencyPolicy: Unsupported/],
    [{}, 'c'.repeat(53), /^metadata.name: .*no more than 52 characters$/],
  ];
  for (const [spec, name, error] of refused) {
    it(`refuse ${JSON.stringify(spec)} with a name of ${name.length} letters`, () => {
      assert.match(crons.create(cron(spec, name)).errors.join('\n'), error);
    });
  }

  it('validate the pod failure policy of their jobs even if its gate is disabled', () => {
    const rule = { action: 'Odd', onPodConditions: [{ type: 'T' }] };
    const jobTemplate = { spec: { template: { spec: pod }, podFailurePolicy: { rules: [rule] } } };
    const { errors } = crons.create(cron({ jobTemplate }));
    const path = 'spec.jobTemplate.spec.podFailurePolicy.rules[0]';
    assert.deepEqual(
      errors.slice(0, 2).map((error) => error.slice(0, error.indexOf(':'))),
      [`${path}.action`, `${path}.onPodConditions[0].status`],
    );
  });

  it('keep a time zone that has become unknown', () => {
    const { object } = crons.create(cron({}));
    const old = { ...object, spec: { ...(object['spec'] as object), timeZone: 'Gone/Away' } };
    assert.deepEqual(crons.update(old, { suspend: true }).errors, []);
  });
});
