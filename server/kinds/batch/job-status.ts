import { type FieldError, FieldPath, fieldError, invalidValue, required } from '#base/errors/field-error.ts';
import type { Job, JobStatus } from '#schema/generated/batch.v1.ts';
import { IMMUTABLE, semanticallyEqual } from '#schema/validation/immutable.ts';
import { indexesProblem, overlapProblem } from './job-indexes.ts';

const STATUS = new FieldPath('status');
const CONDITIONS = STATUS.child('conditions');

function is({ status }: Job, type: string): boolean {
  return (status?.conditions ?? []).some((each) => each.type === type && each.status === 'True');
}

function isFinished(job: Job): boolean {
  return is(job, 'Complete') || is(job, 'Failed');
}

/** An error about conditions. Messages do not show them. */
function wrongConditions(detail: string): FieldError {
  return fieldError('FieldValueInvalid', CONDITIONS, `Invalid value: ${detail}`);
}

type StatusField = keyof JobStatus & string;

/** A rule about a status. It is checked only if one of these fields or conditions has changed. */
interface StatusRule {
  readonly fields?: readonly StatusField[];
  readonly conditions?: readonly string[];
  /** Whether it is also checked when the job has ended or is no longer ended. */
  readonly onFinish?: boolean;
  check(job: Job, status: JobStatus): FieldError[];
}

/** A rule that two conditions exclude each other. */
function excluded(one: string, other: string, text: string): StatusRule {
  return {
    conditions: [one, other],
    check: (job) => (is(job, one) && is(job, other) ? [wrongConditions(text)] : []),
  };
}

/** A rule that a condition requires another one before it. */
function needs(one: string, other: string, conditions: readonly string[], fields: readonly StatusField[]): StatusRule {
  const text = `cannot set ${one}=True condition without the ${other}=true condition`;
  return { conditions, fields, check: (job) => (is(job, one) && !is(job, other) ? [wrongConditions(text)] : []) };
}

/** A rule that a counter is zero when the job has ended. */
function zeroAtEnd(field: 'active' | 'terminating'): StatusRule {
  return {
    onFinish: true,
    fields: [field],
    check: (job, status) =>
      (status[field] ?? 0) > 0 && isFinished(job)
        ? [invalidValue(STATUS.child(field), status[field], `${field}>0 is invalid for finished job`)]
        : [],
  };
}

/** A rule that a text is a list of indexes. */
function wellFormed(field: 'completedIndexes' | 'failedIndexes'): StatusRule {
  return {
    fields: [field],
    check({ spec }, status) {
      const text = status[field];
      const counted = field === 'completedIndexes' || spec?.backoffLimitPerIndex !== undefined;
      if (spec?.completions === undefined || text === undefined || !counted) return [];
      const problem = indexesProblem(text, spec.completions);
      return problem === undefined
        ? []
        : [invalidValue(STATUS.child(field), text, `error parsing ${field}: ${problem}`)];
    },
  };
}

const COMPLETION = STATUS.child('completionTime');

const RULES: readonly StatusRule[] = [
  excluded('Complete', 'Failed', 'cannot set Complete=True and Failed=true conditions'),
  excluded('Complete', 'FailureTarget', 'cannot set Complete=True and FailureTarget=true conditions'),
  {
    conditions: ['Complete'],
    fields: ['completionTime'],
    check(job, { completionTime }) {
      const complete = is(job, 'Complete');
      if (completionTime == null) {
        return complete ? [required(COMPLETION, 'completionTime is required for Complete jobs')] : [];
      }
      const detail = 'cannot set completionTime when there is no Complete=True condition';
      return complete ? [] : [invalidValue(COMPLETION, completionTime, detail)];
    },
  },
  {
    fields: ['startTime', 'completionTime'],
    check: (_job, { startTime, completionTime }) =>
      startTime != null && completionTime != null && Date.parse(completionTime) < Date.parse(startTime)
        ? [invalidValue(COMPLETION, completionTime, 'must be equal to or after `startTime`')]
        : [],
  },
  needs('Failed', 'FailureTarget', ['Failed'], ['failedIndexes']),
  needs('Complete', 'SuccessCriteriaMet', ['Complete', 'SuccessCriteriaMet'], []),
  zeroAtEnd('active'),
  {
    onFinish: true,
    fields: ['startTime'],
    check: (job, { startTime }) =>
      startTime == null && isFinished(job) && !(job.spec?.suspend === true && job.spec.completions === 0)
        ? [required(STATUS.child('startTime'), 'startTime is required for finished job')]
        : [],
  },
  {
    onFinish: true,
    fields: ['uncountedTerminatedPods'],
    check(job, { uncountedTerminatedPods: pods }) {
      const count = (pods?.failed ?? []).length + (pods?.succeeded ?? []).length;
      if (count === 0 || !isFinished(job)) return [];
      return [invalidValue(STATUS.child('uncountedTerminatedPods'), pods, 'must be empty for finished job')];
    },
  },
  wellFormed('completedIndexes'),
  wellFormed('failedIndexes'),
  {
    fields: ['completedIndexes'],
    check({ spec }, { completedIndexes: indexes = '' }) {
      if (indexes === '' || spec?.completionMode === 'Indexed') return [];
      const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
      return [invalidValue(STATUS.child('completedIndexes'), indexes, detail)];
    },
  },
  {
    fields: ['failedIndexes'],
    check({ spec }, { failedIndexes: indexes }) {
      if (indexes === undefined || spec?.backoffLimitPerIndex !== undefined) return [];
      const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
      return [invalidValue(STATUS.child('failedIndexes'), indexes, detail)];
    },
  },
  {
    fields: ['failedIndexes', 'completedIndexes'],
    check({ spec }, { failedIndexes = '', completedIndexes = '' }) {
      if (spec?.completions === undefined) return [];
      const problem = overlapProblem(completedIndexes, failedIndexes, spec.completions);
      return problem === undefined ? [] : [invalidValue(STATUS.child('failedIndexes'), failedIndexes, problem)];
    },
  },
  zeroAtEnd('terminating'),
  {
    fields: ['ready', 'active'],
    check: (_job, { ready = 0, active = 0 }) =>
      ready > active ? [invalidValue(STATUS.child('ready'), ready, 'cannot set more ready pods than active')] : [],
  },
];

/** Errors that are always checked. Success and failure exclude each other. */
function validateCriteria(job: Job): FieldError[] {
  const met = is(job, 'SuccessCriteriaMet');
  return [
    ...(met && is(job, 'Failed')
      ? [wrongConditions('cannot set SuccessCriteriaMet=True and Failed=true conditions')]
      : []),
    ...(met && is(job, 'FailureTarget')
      ? [wrongConditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions')]
      : []),
    ...(job.spec?.successPolicy !== undefined && !met && is(job, 'Complete')
      ? [wrongConditions('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True')]
      : []),
  ];
}

/** Validates values that must not go back: the end of a job, counts, times. */
function validateChange(job: Job, old: Job): FieldError[] {
  const errors = ['Failed', 'Complete', 'FailureTarget']
    .filter((type) => is(old, type) && !is(job, type))
    .map((type) => wrongConditions(`cannot disable the terminal ${type}=True condition`));
  const { spec, status = {} } = job;
  // If as many pods run at a time as completions are wanted, the job can be made smaller.
  const elastic = spec?.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  for (const counter of elastic ? (['failed'] as const) : (['failed', 'succeeded'] as const)) {
    if ((status[counter] ?? 0) >= (old.status?.[counter] ?? 0)) continue;
    errors.push(invalidValue(STATUS.child(counter), status[counter] ?? 0, `cannot decrease the ${counter} counter`));
  }
  const { startTime, completionTime } = status;
  const before = old.status ?? {};
  if (completionTime != null && before.completionTime != null && completionTime !== before.completionTime)
    errors.push(invalidValue(COMPLETION, completionTime, IMMUTABLE));
  const suspended = (old.status?.conditions ?? []).some(
    ({ type, status: now }) => type === 'Suspended' && now === 'True',
  );
  const resumed = (status.conditions ?? []).some(({ type, status: now }) => type === 'Suspended' && now === 'False');
  if (before.startTime != null && startTime !== before.startTime && spec?.suspend !== true && !(suspended && resumed)) {
    const detail = 'field is immutable for unsuspended job once set';
    errors.push(invalidValue(STATUS.child('startTime'), startTime ?? null, detail));
  }
  const [wasMet, isMet] = [is(old, 'SuccessCriteriaMet'), is(job, 'SuccessCriteriaMet')];
  if (wasMet && !isMet) errors.push(wrongConditions('cannot disable the SuccessCriteriaMet=True condition'));
  if (is(old, 'Complete') && !wasMet && isMet) {
    const detail = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
    errors.push(wrongConditions(detail));
  }
  return errors;
}

/** Errors of a job's status that no controller may cause. */
export function validateJobStatus(job: Job, old: Job): FieldError[] {
  const status = job.status ?? {};
  const finishChanged = isFinished(job) !== isFinished(old);
  const concerned = ({ fields = [], conditions = [], onFinish }: StatusRule) =>
    (onFinish === true && finishChanged) ||
    fields.some((field) => !semanticallyEqual(status[field], old.status?.[field])) ||
    conditions.some((type) => is(job, type) !== is(old, type));
  return [
    ...RULES.filter(concerned).flatMap((rule) => rule.check(job, status)),
    ...validateCriteria(job),
    ...validateChange(job, old),
  ];
}
