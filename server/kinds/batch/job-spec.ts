import { type FieldError, type FieldPath, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import type { Job, JobSpec } from '#schema/generated/batch.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { validateNonnegative } from '#schema/validation/numbers.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { isUsable, validateSelects } from '../apps/workload-selector.ts';
import { preparePodTemplate, validatePodTemplate } from '../core/pod-spec/template.ts';
import { validatePodFailurePolicy } from './pod-failure-policy.ts';

const MODES = ['NonIndexed', 'Indexed'];
const RESTART_POLICIES = ['OnFailure', 'Never'];
const MAX_INDEXED_PARALLELISM = 100_000;

/** Drops what belongs to gates that are off, unless the stored job has it already. Cron jobs keep the policy. */
export function prepareJob({ spec }: Job, old: JobSpec | undefined, context: WriteContext): void {
  if (spec === undefined) return;
  preparePodTemplate(spec.template, old?.template, context);
  if (!context.gates.enabled('JobPodFailurePolicy') && old?.podFailurePolicy === undefined) {
    delete spec.podFailurePolicy;
  }
}

function validateMode({ completionMode, completions, parallelism = 0 }: JobSpec, path: FieldPath): FieldError[] {
  if (completionMode === undefined) return [];
  if (!MODES.includes(completionMode)) return [notSupported(path.child('completionMode'), completionMode, MODES)];
  if (completionMode !== 'Indexed') return [];
  const errors: FieldError[] = [];
  if (completions === undefined) errors.push(required(path.child('completions'), 'when completion mode is Indexed'));
  if (parallelism > MAX_INDEXED_PARALLELISM) {
    const detail = `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`;
    errors.push(invalidValue(path.child('parallelism'), parallelism, detail));
  }
  return errors;
}

/** Pods of a job end: they never restart on success. */
function validateRestartPolicy({ template, podFailurePolicy }: JobSpec, path: FieldPath): FieldError[] {
  const at = path.child('template', 'spec', 'restartPolicy');
  const policy = template.spec?.restartPolicy ?? '';
  if (policy === 'Always' || policy === '') return [required(at, 'valid values: "OnFailure", "Never"')];
  if (!RESTART_POLICIES.includes(policy)) return [notSupported(at, policy, RESTART_POLICIES)];
  if (podFailurePolicy === undefined || policy === 'Never') return [];
  return [invalidValue(at, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** A job's spec but for its selector. `old` is the template as stored. */
export function validateJobSpec(
  spec: JobSpec,
  path: FieldPath,
  context: WriteContext,
  old: PodTemplateSpec | undefined,
): FieldError[] {
  return [
    ...validateNonnegative(spec.parallelism, path.child('parallelism')),
    ...validateNonnegative(spec.completions, path.child('completions')),
    ...validateNonnegative(spec.activeDeadlineSeconds, path.child('activeDeadlineSeconds')),
    ...validateNonnegative(spec.backoffLimit, path.child('backoffLimit')),
    ...validateNonnegative(spec.ttlSecondsAfterFinished, path.child('ttlSecondsAfterFinished')),
    ...validateMode(spec, path),
    ...validatePodFailurePolicy(spec, path.child('podFailurePolicy')),
    ...validatePodTemplate(spec.template, path.child('template'), context, old),
    ...validateRestartPolicy(spec, path),
  ];
}

/** The selector of a job: it is there, well formed, and selects the job's own pods. */
export function validateJobSelector({ selector, template }: JobSpec, path: FieldPath): FieldError[] {
  const at = path.child('selector');
  return [
    ...(selector === undefined ? [required(at)] : validateLabelSelector(selector, at)),
    ...(isUsable(selector, at) ? validateSelects(selector, template.metadata?.labels, path.child('template')) : []),
  ];
}
