import { duplicate, type FieldError, FieldPath, forbiddenField, invalidValue } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { copyLabels } from '#schema/conversion/batch/copy-labels.ts';
import { jobVersions } from '#schema/conversion/batch/job.ts';
import type { Job, JobSpec, JobStatus, UncountedTerminatedPods } from '#schema/generated/batch.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import { age, humanDuration } from '#schema/validation/human-duration.ts';
import { validateKindMetadata, validateKindMetadataUpdate } from '#schema/validation/kind-metadata.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { selectorCell } from '../apps/workload-selector.ts';
import { validateCounts } from '../apps/workload-status.ts';
import { containerCells, nameWarnings } from '../apps/workload-template.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { validateJobChange } from './job-change.ts';
import { selectOwnPods, validateGeneratedSelector, validateIndexedName } from './job-pods.ts';
import { prepareJob, validateJobSelector, validateJobSpec } from './job-spec.ts';
import { validateJobStatus } from './job-status.ts';
import { jobSpecWarnings } from './job-warnings.ts';

const SPEC = new FieldPath('spec');
const UNCOUNTED = new FieldPath('status').child('uncountedTerminatedPods');
const TRACKING_GATE = 'JobTrackingWithFinalizers';

/** The annotation of jobs whose pods are tracked by finalizers. */
function trackingKey(naming: Naming): string {
  return naming.key('batch/job-tracking');
}

function isTracked(job: Job, naming: Naming): boolean {
  return Object.hasOwn(job.metadata.annotations ?? {}, trackingKey(naming));
}

function setTracked({ metadata }: Job, tracked: boolean, naming: Naming): void {
  const key = trackingKey(naming);
  if (tracked) metadata.annotations = { ...metadata.annotations, [key]: '' };
  else delete metadata.annotations?.[key];
}

function specOf(job: Job): JobSpec {
  return job.spec ?? { template: {} };
}

function validateWithSelector(job: Job, old: PodTemplateSpec | undefined, context: WriteContext): FieldError[] {
  return [...validateJobSpec(specOf(job), SPEC, context, old), ...validateJobSelector(specOf(job), SPEC)];
}

/** Validates a job. `tracking` says whether it may have the tracking annotation. */
function validate(job: Job, old: Job | undefined, tracking: boolean, context: WriteContext): FieldError[] {
  const key = trackingKey(context.naming);
  const path = new FieldPath('metadata').child('annotations').key(key);
  return [
    ...validateGeneratedSelector(job, old, context),
    ...validateWithSelector(job, old?.spec?.template, context),
    ...(!tracking && isTracked(job, context.naming) ? [forbiddenField(path, 'cannot add this annotation')] : []),
    ...validateIndexedName(job),
  ];
}

function validateUncounted(pods: UncountedTerminatedPods | undefined): FieldError[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((list) =>
    (pods?.[list] ?? []).flatMap((uid, i) => {
      const path = UNCOUNTED.child(list).index(i);
      if (uid === '') return [invalidValue(path, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(path, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function completionsText({ completions, parallelism = 0 }: JobSpec, succeeded: number): string {
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText(status: JobStatus | undefined, now: number): string {
  if (status?.startTime == null) return '';
  const end = status.completionTime == null ? now : Date.parse(status.completionTime);
  return humanDuration(end - Date.parse(status.startTime));
}

/** The state of a job in one word. */
function statusText(metadata: ObjectMeta, status: JobStatus | undefined): string {
  const is = (type: string) => (status?.conditions ?? []).some((each) => each.type === type && each.status === 'True');
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if ((metadata.deletionTimestamp ?? null) !== null) return 'Terminating';
  if (is('Suspended')) return 'Suspended';
  if (is('FailureTarget')) return 'FailureTarget';
  return is('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

/** The kind of jobs. Each runs pods until enough of them have succeeded. */
export const job = defineKind('batch/jobs', {
  versions: jobVersions,
  prepareForCreate(object, context) {
    // Since 1.27 the annotation has no meaning.
    if (!context.release.atLeast(27)) setTracked(object, context.gates.enabled(TRACKING_GATE), context.naming);
    prepareJob(object, undefined, context);
    selectOwnPods(object, context);
  },
  prepareForUpdate(object, old, context) {
    const { naming, gates, release } = context;
    prepareJob(object, old.spec, context);
    if (!release.atLeast(27) && !gates.enabled(TRACKING_GATE) && !isTracked(old, naming))
      setTracked(object, false, naming);
  },
  validate: (object, context) => validate(object, undefined, true, context),
  // Errors of the object itself are reported twice: before the errors of the change, and among them.
  ignoresMetadataChange: true,
  validateUpdate: (object, old, context) => [
    ...validateKindMetadata(object, { namespaced: true }, context.naming),
    ...validate(object, old, context.release.atLeast(27) || isTracked(old, context.naming), context),
    ...validateKindMetadataUpdate(object, old, context.naming),
    ...validateWithSelector(object, old.spec?.template, context),
    ...validateJobChange(specOf(object), old, context),
  ],
  canonicalize: copyLabels,
  warnings: (object, old, context) => [
    ...nameWarnings(object, old, context),
    ...jobSpecWarnings(object, old, ({ spec }) => spec, SPEC, context),
  ],
  subresources: {
    status: {
      prepareForUpdate: keepSpec,
      validateUpdate: (object, old, { gates }) => [
        ...validateCounts(object.status, ['active', 'succeeded', 'failed', 'ready', 'terminating']),
        ...validateUncounted(object.status?.uncountedTerminatedPods),
        ...(gates.enabled('JobManagedBy') ? validateJobStatus(object, old) : []),
      ],
    },
  },
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  cells: ({ metadata, spec, status }, { now }) => [
    metadata.name ?? '',
    statusText(metadata, status),
    completionsText(spec ?? { template: {} }, status?.succeeded ?? 0),
    durationText(status, now),
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
    selectorCell(spec?.selector),
  ],
  orphanWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
});
