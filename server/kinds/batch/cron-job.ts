import {
  declared,
  type FieldError,
  FieldPath,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { cronJobVersions } from '#schema/conversion/batch/cron-job.ts';
import type { CronJob, CronJobSpec, JobSpec, JobTemplateSpec } from '#schema/generated/batch.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { invalidShown } from '#schema/validation/go-list.ts';
import { age } from '#schema/validation/human-duration.ts';
import { shownSelector } from '#schema/validation/shown-values.ts';
import { hasTimeZone, scheduleProblem, timeZoneProblem } from '#schema/values/cron-schedule.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { selectorCell } from '../apps/workload-selector.ts';
import { containerCells, nameWarnings } from '../apps/workload-template.ts';
import { preparePodTemplate } from '../core/pod-spec/template.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { validateJobSpec } from './job-spec.ts';
import { jobSpecWarnings } from './job-warnings.ts';

const SPEC = new FieldPath('spec');
const JOB_TEMPLATE = SPEC.child('jobTemplate');
const CONCURRENCY = ['Allow', 'Forbid', 'Replace'];

/** Validates the name. Names of jobs consist of it and the time of the run, and must be labels. */
const MAX_NAME = 52;

function prepare(spec: CronJobSpec | undefined, old: CronJobSpec | undefined, context: WriteContext): void {
  if (spec === undefined) return;
  preparePodTemplate(spec.jobTemplate.spec?.template, old?.jobTemplate.spec?.template, context);
  if (!context.gates.enabled('CronJobTimeZone') && old?.timeZone === undefined) delete spec.timeZone;
}

/** Validates the time zone. Since 1.29, a schedule may contain a zone only if the stored cron job has one there. */
function validateSchedule(
  { schedule, timeZone }: CronJobSpec,
  old: CronJobSpec | undefined,
  path: FieldPath,
  { release }: WriteContext,
): FieldError[] {
  if (schedule === '') return declared([required(path)], 37);
  const errors: FieldError[] = [];
  const problem = scheduleProblem(schedule);
  if (problem !== undefined) errors.push(invalidValue(path, schedule, problem));
  if (!hasTimeZone(schedule)) return errors;
  if (release.atLeast(29) && !hasTimeZone(old?.schedule ?? '')) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    errors.push(invalidValue(path, schedule, detail));
  } else if (timeZone !== undefined) {
    errors.push(invalidValue(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  }
  return errors;
}

function validateTimeZone(zone: string | undefined, path: FieldPath): FieldError[] {
  if (zone === undefined) return [];
  if (zone === '') return [invalidValue(path, zone, 'timeZone must be nil or non-empty string')];
  const errors: FieldError[] = [];
  if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    errors.push(invalidValue(path, zone, detail));
  }
  const problem = zone === 'Local' ? undefined : timeZoneProblem(zone);
  if (problem !== undefined) errors.push(invalidValue(path, zone, problem));
  return errors;
}

function validateConcurrency(policy: string | undefined, path: FieldPath): FieldError[] {
  if ((policy ?? '') === '') return [required(path)];
  return CONCURRENCY.includes(policy ?? '') ? [] : [notSupported(path, policy, CONCURRENCY)];
}

/** Validates the template of jobs. Jobs get their selectors when they are created. */
function validateJobTemplate(
  template: JobTemplateSpec,
  old: PodTemplateSpec | undefined,
  context: WriteContext,
): FieldError[] {
  const spec: JobSpec = template.spec ?? { template: {} };
  const path = JOB_TEMPLATE.child('spec');
  const errors = validateJobSpec(spec, path, context, old);
  if (spec.selector !== undefined) {
    const detail = '`selector` will be auto-generated';
    errors.push(invalidShown(path.child('selector'), shownSelector(spec.selector), detail));
  }
  if (spec.manualSelector === true) {
    errors.push(notSupported(path.child('manualSelector'), true, ['nil', 'false']));
  }
  return errors;
}

function validateSpec(object: CronJob, old: CronJob | undefined, context: WriteContext): FieldError[] {
  const spec: CronJobSpec = object.spec ?? { schedule: '', jobTemplate: {} };
  const zoneChanged = old === undefined || old.spec?.timeZone !== spec.timeZone;
  return [
    ...validateSchedule(spec, old?.spec, SPEC.child('schedule'), context),
    ...validateBound(
      spec.startingDeadlineSeconds,
      bounds['batch.v1.CronJobSpec'].startingDeadlineSeconds,
      SPEC.child('startingDeadlineSeconds'),
    ),
    ...(zoneChanged ? validateTimeZone(spec.timeZone, SPEC.child('timeZone')) : []),
    ...validateConcurrency(spec.concurrencyPolicy, SPEC.child('concurrencyPolicy')),
    ...validateJobTemplate(spec.jobTemplate, podTemplateOf(old), context),
    ...validateBound(
      spec.successfulJobsHistoryLimit,
      bounds['batch.v1.CronJobSpec'].successfulJobsHistoryLimit,
      SPEC.child('successfulJobsHistoryLimit'),
    ),
    ...validateBound(
      spec.failedJobsHistoryLimit,
      bounds['batch.v1.CronJobSpec'].failedJobsHistoryLimit,
      SPEC.child('failedJobsHistoryLimit'),
    ),
  ];
}

function podTemplateOf(object: CronJob | undefined): PodTemplateSpec | undefined {
  return object?.spec?.jobTemplate.spec?.template;
}

function suspendText(suspend: boolean | undefined): string {
  if (suspend === undefined) return '<unset>';
  return suspend ? 'True' : 'False';
}

/** The kind of cron jobs. Each creates jobs at the times of a schedule. */
export const cronJob = defineKind('batch/cronjobs', {
  versions: cronJobVersions,
  prepareForCreate(object, context) {
    prepare(object.spec, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    prepare(object.spec, old.spec, context);
  },
  validate(object, context) {
    const { name = '' } = object.metadata;
    const errors = validateSpec(object, undefined, context);
    if (name.length > MAX_NAME) {
      errors.push(invalidValue('metadata.name', name, `must be no more than ${MAX_NAME} characters`));
    }
    return errors;
  },
  validateUpdate: validateSpec,
  warnings(object, old, context) {
    const warnings = [
      ...nameWarnings(object, old, context),
      ...jobSpecWarnings(object, old, ({ spec }) => spec?.jobTemplate?.spec, JOB_TEMPLATE.child('spec'), context),
    ];
    const later = context.release.atLeast(29);
    if (!hasTimeZone(object.spec?.schedule ?? '') || (later && old === undefined)) return warnings;
    const url = `https://${context.naming.domain()}/docs/concepts/workloads/controllers/cron-jobs/`;
    return [
      ...warnings,
      later
        ? `cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ${url} for more details`
        : `CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see ${url} for more details`,
    ];
  },
  subresources: { status: { prepareForUpdate: keepSpec, ignoresMetadataChange: true } },
  cells: ({ metadata, spec, status }, { now }) => [
    metadata.name ?? '',
    spec?.schedule ?? '',
    spec?.timeZone ?? '<none>',
    suspendText(spec?.suspend),
    status?.active?.length ?? 0,
    status?.lastScheduleTime == null ? '<none>' : age(status.lastScheduleTime, now),
    age(metadata.creationTimestamp, now),
    ...containerCells(podTemplateOf({ metadata, ...(spec === undefined ? {} : { spec }) })),
    selectorCell(spec?.jobTemplate.spec?.selector),
  ],
});
