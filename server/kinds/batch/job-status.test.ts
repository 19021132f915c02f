import assert from 'node:assert/strict';
import type { Job, JobSpec, JobStatus } from '#schema/generated/batch.v1.ts';
import { indexesProblem, overlapProblem } from './job-indexes.ts';
import { validateJobStatus } from './job-status.ts';

const START = '2026-01-01T00:00:00Z';
const END = '2026-01-01T00:01:00Z';

/** A status with conditions that are true. */
function saying(...types: string[]): Pick<JobStatus, 'conditions'> {
  return { conditions: types.map((type) => ({ type, status: 'True' })) };
}

function jobOf(status: JobStatus, spec: Partial<JobSpec> = {}): Job {
  return { metadata: { name: 'j' }, spec: { template: {}, ...spec }, status };
}

describe('validateJobStatus', () => {
  const done: JobStatus = { startTime: START, completionTime: END, ...saying('SuccessCriteriaMet', 'Complete') };
  const changes: [title: string, old: JobStatus, status: JobStatus, errors: string[], spec?: Partial<JobSpec>][] = [
    ['accepts a complete status', { startTime: START }, done, []],
    [
      'requires completionTime and SuccessCriteriaMet for Complete',
      { startTime: START },
      { startTime: START, ...saying('Complete') },
      [
        'status.completionTime: Required value: completionTime is required for Complete jobs',
        'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      ],
    ],
    [
      'requires startTime for Failed',
      {},
      saying('FailureTarget', 'Failed'),
      ['status.startTime: Required value: startTime is required for finished job'],
    ],
    [
      'requires no startTime for a suspended job without completions',
      {},
      saying('FailureTarget', 'Failed'),
      [],
      { suspend: true, completions: 0 },
    ],
    [
      'refuses to remove the conditions of a finished job',
      done,
      { ...done, conditions: [] },
      [
        `status.completionTime: Invalid value: "${END}": cannot set completionTime when there is no Complete=True condition`,
        'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
        'status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition',
      ],
    ],
    [
      'refuses active pods of a finished job',
      done,
      { ...done, active: 1 },
      ['status.active: Invalid value: 1: active>0 is invalid for finished job'],
    ],
    ['ignores errors that the old status already has', { active: 1, ready: 2 }, { active: 1, ready: 2, failed: 1 }, []],
    [
      'refuses more ready pods than active pods',
      {},
      { active: 1, ready: 2 },
      ['status.ready: Invalid value: 2: cannot set more ready pods than active'],
    ],
    [
      'refuses to decrease counters',
      { failed: 2, succeeded: 1 },
      { failed: 1 },
      [
        'status.failed: Invalid value: 1: cannot decrease the failed counter',
        'status.succeeded: Invalid value: 0: cannot decrease the succeeded counter',
      ],
    ],
    [
      'accepts a decreased counter of an indexed job',
      { succeeded: 1 },
      {},
      [],
      { completionMode: 'Indexed', completions: 2, parallelism: 2 },
    ],
    [
      'refuses to change startTime of a job that is not suspended',
      { startTime: START },
      { startTime: END },
      [`status.startTime: Invalid value: "${END}": field is immutable for unsuspended job once set`],
    ],
    [
      'refuses indexes for a job that is not indexed',
      {},
      { completedIndexes: '0', failedIndexes: '1' },
      [
        'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
        'status.failedIndexes: Invalid value: "1": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
      ],
    ],
  ];
  for (const [title, old, status, errors, spec] of changes) {
    it(title, () => {
      const found = validateJobStatus(jobOf(status, spec), jobOf(old, spec));
      assert.deepEqual(
        found.map(({ text }) => text),
        errors,
      );
    });
  }

  it('needs indexes in increasing order', () => {
    for (const good of ['', '0', '0,2-3', '0-1,3']) assert.equal(indexesProblem(good, 4), undefined, good);
    assert.equal(indexesProblem('4', 4), 'too large index: "4"');
    assert.equal(indexesProblem('x', 4), 'cannot convert string to integer for index: "x"');
    assert.equal(indexesProblem('1,0', 4), 'non-increasing order, previous: 1, current: 0');
    assert.equal(indexesProblem('2-1', 4), 'non-increasing order, previous: 2, current: 1');
    assert.match(indexesProblem('0-1-2', 4) ?? '', /at most two parts/);
  });

  it('refuses an index that is both completed and failed', () => {
    assert.equal(overlapProblem('0-1,5', '2,4', 9), undefined);
    assert.equal(overlapProblem('0-3', '2', 9), 'failedIndexes and completedIndexes overlap at index: 2');
  });
});
