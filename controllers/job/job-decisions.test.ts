import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { latestRelease, releaseOf } from '#base/release/release.ts';
import type { Job, JobSpec, JobStatus, PodFailurePolicyRule } from '#schema/generated/batch.v1.ts';
import type { ContainerStatus, Pod } from '#schema/generated/core.v1.ts';
import { jobFeatures } from './features.ts';
import { countPods } from './job-counts.ts';
import { type Ending, endingOf } from './job-ending.ts';
import { JobWords } from './job-pods.ts';
import { stateOf } from './job-state.ts';
import { stepsOf } from './job-steps.ts';
import { newPod } from './new-pod.ts';
import { judge } from './pod-failure-policy.ts';

const naming = createNaming('kubernetes');
const words = new JobWords(naming);
const BEGIN = Date.parse('2026-01-01T00:00:00Z');
const at = (second: number) => new Date(BEGIN + second * 1000).toISOString().replace('.000', '');

function jobOf(spec: Partial<JobSpec> = {}, status: JobStatus = {}): Job {
  const metadata = { name: 'j', namespace: 'n', uid: 'job' };
  return {
    metadata,
    spec: { parallelism: 2, backoffLimit: 6, template: { spec: { containers: [{ name: 'c' }] } }, ...spec },
    status,
  };
}

interface About {
  readonly index?: number;
  readonly tracked?: boolean;
  readonly deleted?: boolean;
  readonly code?: number;
  readonly end?: number;
  readonly failures?: number;
  readonly restarts?: number;
}

/** A pod by its name, phase and special properties. */
function podOf(name: string, phase: string, about: About = {}): Pod {
  const { index, tracked = true, deleted = false, code, end = 0, failures, restarts = 0 } = about;
  const terminated = code === undefined ? undefined : { exitCode: code, finishedAt: at(end) };
  const container = { name: 'c', restartCount: restarts, state: terminated === undefined ? {} : { terminated } };
  return {
    metadata: {
      name,
      namespace: 'n',
      uid: name,
      creationTimestamp: at(0),
      annotations: {
        ...(index === undefined ? {} : { [words.index]: String(index) }),
        ...(failures === undefined ? {} : { [words.failures]: String(failures) }),
      },
      ...(tracked ? { finalizers: [words.finalizer] } : {}),
      ...(deleted ? { deletionTimestamp: at(1) } : {}),
    },
    spec: { containers: [] },
    status: { phase, containerStatuses: [container as ContainerStatus] },
  };
}

const INDEXED = { completionMode: 'Indexed', completions: 4, parallelism: 4 };
const TWO_SECONDS = BEGIN + 2000;

const rule = (action: string, about: Partial<PodFailurePolicyRule>): PodFailurePolicyRule =>
  ({ action, ...about }) as PodFailurePolicyRule;

describe('judge with a pod failure policy', () => {
  const rules = [
    rule('Ignore', { onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }),
    rule('FailIndex', { onExitCodes: { containerName: 'c', operator: 'In', values: [3] } }),
    rule('Count', { onExitCodes: { containerName: 'other', operator: 'In', values: [5] } }),
    rule('FailJob', { onExitCodes: { containerName: null, operator: 'NotIn', values: [1, 5] } }),
  ];
  const disrupted = podOf('p', 'Failed', { code: 9 });
  disrupted.status!.conditions = [{ type: 'DisruptionTarget', status: 'True' }];
  const rows: readonly (readonly [what: string, pod: Pod, judgement: object])[] = [
    ['uses the first rule that matches', disrupted, { counts: false, action: 'Ignore' }],
    ['matches exit codes of a container', podOf('p', 'Failed', { code: 3 }), { counts: true, action: 'FailIndex' }],
    [
      'matches exit codes that are not in a list',
      podOf('p', 'Failed', { code: 9 }),
      {
        counts: true,
        action: 'FailJob',
        failsJob: 'Container c for pod n/p failed with exit code 9 matching FailJob rule at index 3',
      },
    ],
    ['counts a pod that no rule matches', podOf('p', 'Failed', { code: 5 }), { counts: true }],
    ['counts a pod that succeeded', podOf('p', 'Failed', { code: 0 }), { counts: true }],
  ];
  for (const [what, pod, judgement] of rows) it(what, () => assert.deepEqual(judge({ rules }, pod), judgement));
  it('counts a pod without a policy', () => assert.deepEqual(judge(undefined, disrupted), { counts: true }));
});

describe('endingOf a job', () => {
  const failed = (name: string, about: About = {}) => podOf(name, 'Failed', { code: 1, ...about });
  const done = (name: string, index: number) => podOf(name, 'Succeeded', { index });
  const onFailure = { template: { spec: { containers: [], restartPolicy: 'OnFailure' } } };
  const declared = { conditions: [{ type: 'FailureTarget', status: 'True', reason: 'R', message: 'm' }] };
  type Row = readonly [
    what: string,
    spec: Partial<JobSpec>,
    status: JobStatus,
    pods: Pod[],
    reason: string | undefined,
  ];
  const rows: readonly Row[] = [
    ['does not fail within the backoff limit', { backoffLimit: 1 }, {}, [failed('a')], undefined],
    ['fails beyond the backoff limit', { backoffLimit: 1 }, { failed: 1 }, [failed('a')], 'BackoffLimitExceeded'],
    [
      'counts a pod once',
      { backoffLimit: 1 },
      { uncountedTerminatedPods: { failed: ['a'] } },
      [failed('a')],
      undefined,
    ],
    [
      'does not count a pod that the status already counts',
      { backoffLimit: 1 },
      { failed: 1 },
      [failed('a', { tracked: false })],
      undefined,
    ],
    [
      'counts a terminating pod as failed',
      { backoffLimit: 0 },
      {},
      [podOf('a', 'Running', { deleted: true })],
      'BackoffLimitExceeded',
    ],
    [
      'does not count a terminating pod with podReplacementPolicy Failed',
      { backoffLimit: 0, podReplacementPolicy: 'Failed' },
      {},
      [podOf('a', 'Running', { deleted: true })],
      undefined,
    ],
    [
      'fails when restarts reach the backoff limit',
      { ...onFailure, backoffLimit: 3 },
      {},
      [podOf('a', 'Running', { restarts: 3 })],
      'BackoffLimitExceeded',
    ],
    [
      'does not fail before restarts reach the backoff limit',
      { ...onFailure, backoffLimit: 3 },
      {},
      [podOf('a', 'Running', { restarts: 2 })],
      undefined,
    ],
    ['fails at the active deadline', { activeDeadlineSeconds: 2 }, { startTime: at(0) }, [], 'DeadlineExceeded'],
    ['does not fail before the active deadline', { activeDeadlineSeconds: 3 }, { startTime: at(0) }, [], undefined],
    [
      'ignores the active deadline while it is suspended',
      { activeDeadlineSeconds: 2, suspend: true },
      { startTime: at(0) },
      [],
      undefined,
    ],
    ['keeps an ending that was decided before', {}, declared, [], 'R'],
    [
      'fails beyond maxFailedIndexes',
      { ...INDEXED, backoffLimitPerIndex: 1, maxFailedIndexes: 0 },
      {},
      [failed('a', { index: 1, failures: 1 })],
      'MaxFailedIndexesExceeded',
    ],
    [
      'does not fail while the failed index may be retried',
      { ...INDEXED, backoffLimitPerIndex: 1, maxFailedIndexes: 0 },
      {},
      [failed('a', { index: 1, failures: 0 })],
      undefined,
    ],
    [
      'fails when all other indexes are complete and one has failed',
      { ...INDEXED, backoffLimitPerIndex: 0 },
      { completedIndexes: '0,1', failedIndexes: '2' },
      [done('a', 3)],
      'FailedIndexes',
    ],
    [
      'succeeds with a number of indexes of the success policy',
      { ...INDEXED, successPolicy: { rules: [{ succeededCount: 2 }] } },
      { completedIndexes: '0' },
      [done('a', 3)],
      'SuccessPolicy',
    ],
    [
      'succeeds with certain indexes of the success policy',
      { ...INDEXED, successPolicy: { rules: [{ succeededIndexes: '1,3' }] } },
      { completedIndexes: '1' },
      [done('a', 3)],
      'SuccessPolicy',
    ],
    [
      'does not succeed before the indexes of the success policy are complete',
      { ...INDEXED, successPolicy: { rules: [{ succeededIndexes: '1,3' }] } },
      { completedIndexes: '0-2' },
      [],
      undefined,
    ],
  ];
  for (const [what, spec, status, pods, reason] of rows)
    it(what, () => assert.equal(endingOf(stateOf(jobOf(spec, status), pods, words), TWO_SECONDS)?.reason, reason));
});

describe('next steps of a job', () => {
  const failed = (name: string, end: number, about: About = {}) => podOf(name, 'Failed', { code: 1, end, ...about });
  const runs = (name: string, index?: number) => podOf(name, 'Running', index === undefined ? {} : { index });
  const leaves = podOf('leaves', 'Running', { deleted: true });
  /** The pods to delete, the pods to create, and the waiting time. */
  type Row = readonly [
    what: string,
    spec: Partial<JobSpec>,
    status: JobStatus,
    pods: Pod[],
    remove: string[],
    create: (number | undefined)[],
    wait?: number,
  ];
  const rows: readonly Row[] = [
    ['create pods up to parallelism', { completions: 5 }, {}, [runs('a')], [], [undefined]],
    ['create no more pods than completions are left', { completions: 5 }, { succeeded: 4 }, [], [], [undefined]],
    ['create no pod if enough pods run', { completions: 5 }, { succeeded: 4 }, [runs('a')], [], []],
    ['delete pods beyond parallelism', { parallelism: 1 }, {}, [runs('a'), podOf('b', 'Pending')], ['b'], []],
    ['create no pod after the first success without completions', {}, { succeeded: 1 }, [], [], []],
    ['delete all pods while the job is suspended', { suspend: true }, {}, [runs('a'), runs('b')], ['a', 'b'], []],
    ['wait after a failure', {}, {}, [failed('a', 0)], [], [], 8000],
    [
      'wait longer after several failures',
      {},
      { failed: 2 },
      [failed('a', 0, { tracked: false }), failed('b', 1)],
      [],
      [],
      19_000,
    ],
    [
      'do not wait if a pod has succeeded since the failure',
      {},
      {},
      [failed('a', 0), podOf('b', 'Succeeded', { code: 0, end: 1 })],
      [],
      [],
    ],
    [
      'do not wait for deleted pods without a finalizer',
      {},
      {},
      [podOf('a', 'Running', { deleted: true, tracked: false })],
      [],
      [undefined, undefined],
    ],
    ['replace terminating pods', { parallelism: 1 }, {}, [leaves], [], [], 9000],
    [
      'wait for terminating pods with podReplacementPolicy Failed',
      { parallelism: 1, podReplacementPolicy: 'Failed' },
      {},
      [leaves],
      [],
      [],
    ],
    ['create pods for the first missing indexes', INDEXED, { completedIndexes: '1' }, [runs('a', 0)], [], [2, 3]],
    [
      'delete pods with a duplicate index, an index out of range, or no index',
      INDEXED,
      {},
      [runs('a', 1), runs('b', 1), runs('c'), runs('d', 9)],
      ['a', 'c', 'd'],
      [],
    ],
    ['do not retry failed indexes', { ...INDEXED, backoffLimitPerIndex: 0 }, { failedIndexes: '0-2' }, [], [], [3]],
    [
      'wait for each index separately',
      { ...INDEXED, completions: 2, backoffLimitPerIndex: 3 },
      {},
      [failed('a', 0, { index: 0, failures: 1 })],
      [],
      [1],
      18_000,
    ],
  ];
  for (const [what, spec, status, pods, remove, create, wait] of rows)
    it(what, () => {
      const steps = stepsOf(stateOf(jobOf(spec, status), pods, words), naming, TWO_SECONDS);
      assert.deepEqual(steps.remove.map(({ metadata }) => metadata.name).sort(), remove);
      assert.deepEqual(steps.create, create);
      assert.equal(steps.waitMs, wait);
    });
});

describe('countPods', () => {
  const FAILURE: Ending = { success: false, reason: 'R', message: '' };
  const count = (spec: Partial<JobSpec>, status: JobStatus, pods: Pod[], ending?: Ending) => {
    const { release, ...counts } = countPods(stateOf(jobOf(spec, status), pods, words), ending);
    return { ...counts, release: release.map(({ metadata }) => metadata.name) };
  };
  const nothing = { succeeded: 0, failed: 0, completedIndexes: '', uncounted: {}, release: [], settled: false };

  it('lists finished pods, then removes their finalizers, then counts them', () => {
    const pods = [podOf('a', 'Succeeded'), podOf('b', 'Failed'), podOf('c', 'Running')];
    const listed = { succeeded: ['a'], failed: ['b'] };
    assert.deepEqual(count({}, {}, pods), { ...nothing, uncounted: listed, release: ['a', 'b'] });
    // The write was done, and then the manager was stopped. No pod is listed twice.
    const status = { uncountedTerminatedPods: listed };
    assert.deepEqual(count({}, status, pods), { ...nothing, uncounted: listed, release: ['a', 'b'] });
    // One pod has lost its finalizer, and the other is gone.
    const gone = [podOf('a', 'Succeeded', { tracked: false }), podOf('c', 'Running')];
    assert.deepEqual(count({}, status, gone), { ...nothing, succeeded: 1, failed: 1 });
    // Pods that were already counted are not counted again.
    assert.deepEqual(count({}, { succeeded: 1, failed: 1 }, gone), { ...nothing, succeeded: 1, failed: 1 });
  });

  it('completes an index once', () => {
    const pods = [
      podOf('a', 'Succeeded', { index: 2 }),
      podOf('b', 'Succeeded', { index: 0 }),
      podOf('c', 'Succeeded', { index: 9 }),
    ];
    const first = count(INDEXED, { completedIndexes: '0' }, pods);
    assert.deepEqual(first, { ...nothing, succeeded: 2, completedIndexes: '0,2', release: ['b', 'a', 'c'] });
    assert.deepEqual(count(INDEXED, { completedIndexes: '0,2', succeeded: 2 }, []), {
      ...nothing,
      succeeded: 2,
      completedIndexes: '0,2',
      settled: true,
    });
  });

  it('counts running pods as failed if the job ends, unless it has succeeded', () => {
    const pods = [podOf('a', 'Running')];
    assert.deepEqual(count({}, {}, pods, FAILURE), { ...nothing, uncounted: { failed: ['a'] }, release: ['a'] });
    assert.deepEqual(count({}, {}, pods, { ...FAILURE, success: true }), { ...nothing, release: ['a'] });
  });

  it('removes the finalizer of ignored pods without counting them', () => {
    const rules = [rule('Ignore', { onExitCodes: { containerName: null, operator: 'In', values: [7] } })];
    assert.deepEqual(count({ podFailurePolicy: { rules } }, {}, [podOf('a', 'Failed', { code: 7 })]), {
      ...nothing,
      release: ['a'],
    });
  });

  it('keeps the finalizer of the last failed pod of an index until its replacement exists', () => {
    const spec = { ...INDEXED, backoffLimitPerIndex: 3 };
    const broken = podOf('a', 'Failed', { index: 1, failures: 1, code: 1 });
    assert.deepEqual(count(spec, {}, [broken]), { ...nothing, failedIndexes: '' });
    const next = podOf('b', 'Running', { index: 1, failures: 2 });
    assert.deepEqual(count(spec, {}, [broken, next]), {
      ...nothing,
      failedIndexes: '',
      uncounted: { failed: ['a'] },
      release: ['a'],
    });
  });

  it('lists at most 500 pods at once', () => {
    const pods = Array.from({ length: 700 }, (_, i) => podOf(`p${i}`, 'Succeeded'));
    const { uncounted, release } = count({}, {}, pods);
    assert.deepEqual([uncounted.succeeded?.length, release.length], [500, 500]);
  });
});

describe('newPod of a job', () => {
  const spec = {
    ...INDEXED,
    backoffLimitPerIndex: 3,
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c' }] } },
  };
  const pods = [podOf('a', 'Failed', { index: 1, failures: 1, code: 1 })];

  it('has the index and the number of failures of the index', () => {
    const made = newPod(stateOf(jobOf(spec), pods, words), 1, jobFeatures(latestRelease), naming);
    const { labels, annotations, finalizers, generateName } = made.metadata;
    assert.deepEqual(labels, { a: 'b', [words.index]: '1' });
    assert.deepEqual(annotations, { [words.index]: '1', [words.failures]: '2' });
    assert.deepEqual([finalizers, generateName], [[words.finalizer], 'j-1-']);
    assert.equal(made.spec?.hostname, 'j-1');
    assert.deepEqual(made.spec?.containers?.[0]?.env, [
      { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath: `metadata.labels['${words.index}']` } } },
    ]);
  });

  it('has no label for the index in earlier releases', () => {
    const made = newPod(stateOf(jobOf(INDEXED), [], words), 0, jobFeatures(releaseOf('1.27')), naming);
    assert.equal(made.metadata.labels, undefined);
    const [container] = made.spec?.containers ?? [];
    assert.equal(container?.env?.[0]?.valueFrom?.fieldRef?.fieldPath, `metadata.annotations['${words.index}']`);
  });

  it('has a name within the length limit', () => {
    const long = jobOf(INDEXED);
    long.metadata.name = 'x'.repeat(63);
    const { generateName } = newPod(stateOf(long, [], words), 12, jobFeatures(latestRelease), naming).metadata;
    assert.equal(generateName, `${'x'.repeat(54)}-12-`);
  });
});
