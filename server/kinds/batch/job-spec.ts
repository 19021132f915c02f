import {
  type FieldError,
  type FieldPath,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '#base/errors/field-error.ts';
import type { Job, JobSpec } from '#schema/generated/batch.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { validateDomainPrefixedPath } from '#schema/validation/domain-names.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { validateNonnegative } from '#schema/validation/numbers.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { isUsable, validateSelects } from '../apps/workload-selector.ts';
import { preparePodTemplate, validatePodTemplate } from '../core/pod-spec/template.ts';
import { indexCount, indexesProblem } from './job-indexes.ts';
import { validatePodFailurePolicy } from './pod-failure-policy.ts';

const MODES = ['NonIndexed', 'Indexed'];
const RESTART_POLICIES = ['OnFailure', 'Never'];
const INDEXED = 'Indexed';
const MAX_INDEXED_PARALLELISM = 100_000;

/** Drops fields whose gates are off, unless the stored job already has them. Cron jobs keep the policy. */
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

/** Validates the restart policy. The pods of a job must end, so they must not restart after success. */
function validateRestartPolicy({ template, podFailurePolicy }: JobSpec, path: FieldPath): FieldError[] {
  const at = path.child('template', 'spec', 'restartPolicy');
  const policy = template.spec?.restartPolicy ?? '';
  if (policy === 'Always' || policy === '') return [required(at, 'valid values: "OnFailure", "Never"')];
  if (!RESTART_POLICIES.includes(policy)) return [notSupported(at, policy, RESTART_POLICIES)];
  if (podFailurePolicy === undefined || policy === 'Never') return [];
  return [invalidValue(at, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** Validates a job's spec without its selector. `old` is the stored template. */
export function validateJobSpec(
  spec: JobSpec,
  path: FieldPath,
  context: WriteContext,
  old: PodTemplateSpec | undefined,
): FieldError[] {
  return [
    ...validateBound(spec.parallelism, bounds['batch.v1.JobSpec'].parallelism, path.child('parallelism')),
    ...validateBound(spec.completions, bounds['batch.v1.JobSpec'].completions, path.child('completions')),
    ...validateBound(
      spec.activeDeadlineSeconds,
      bounds['batch.v1.JobSpec'].activeDeadlineSeconds,
      path.child('activeDeadlineSeconds'),
    ),
    ...validateBound(spec.backoffLimit, bounds['batch.v1.JobSpec'].backoffLimit, path.child('backoffLimit')),
    ...validateBound(
      spec.ttlSecondsAfterFinished,
      bounds['batch.v1.JobSpec'].ttlSecondsAfterFinished,
      path.child('ttlSecondsAfterFinished'),
    ),
    ...validateMode(spec, path),
    ...validateIndexes(spec, path),
    ...validateReplacement(spec, path.child('podReplacementPolicy')),
    ...validateSuccessPolicy(spec, path.child('successPolicy')),
    ...validateManager(spec.managedBy, path.child('managedBy')),
    ...validatePodFailurePolicy(spec, path.child('podFailurePolicy'), context.release),
    ...validatePodTemplate(spec.template, path.child('template'), context, old),
    ...validateRestartPolicy(spec, path),
  ];
}

/** Validates the limits for each index. They need a job with indexes. */
function validateIndexes(spec: JobSpec, path: FieldPath): FieldError[] {
  const { backoffLimitPerIndex: limit, maxFailedIndexes: most, completions, completionMode } = spec;
  const errors = [
    ...validateNonnegative(limit, path.child('backoffLimitPerIndex')),
    ...validateNonnegative(most, path.child('maxFailedIndexes')),
  ];
  if (limit !== undefined && completionMode !== INDEXED)
    errors.push(invalidValue(path.child('backoffLimitPerIndex'), limit, 'requires indexed completion mode'));
  if (most === undefined) return errors;
  if (limit === undefined)
    errors.push(required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  if (completionMode !== INDEXED)
    errors.push(invalidValue(path.child('maxFailedIndexes'), most, 'requires indexed completion mode'));
  if (completions !== undefined && most > completions)
    errors.push(invalidValue(path.child('maxFailedIndexes'), most, 'must be less than or equal to completions'));
  return errors;
}

/** Validates when pods are replaced. With a policy for failures, this must be only after they have failed. */
function validateReplacement(spec: JobSpec, path: FieldPath): FieldError[] {
  const { podReplacementPolicy: policy, podFailurePolicy } = spec;
  if (policy === undefined) return [];
  const supported = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return supported.includes(policy) ? [] : [notSupported(path, policy, supported)];
}

const MAX_SUCCESS_RULES = bounds['batch.v1.SuccessPolicy'].rules.maxItems;

/** Validates the rules about how many and which indexes must succeed. */
function validateSuccessPolicy(
  { successPolicy, completionMode, completions = 0 }: JobSpec,
  path: FieldPath,
): FieldError[] {
  if (successPolicy === undefined) return [];
  if (completionMode !== INDEXED) return [invalidValue(path, successPolicy, 'requires indexed completion mode')];
  const rules = successPolicy.rules ?? [];
  const at = path.child('rules');
  if (rules.length === 0)
    return [required(at, 'at least one rules must be specified when the successPolicy is specified')];
  if (rules.length > MAX_SUCCESS_RULES) return [tooMany(at, rules.length, MAX_SUCCESS_RULES)];
  return rules.flatMap(({ succeededCount: count, succeededIndexes: indexes }, i) => {
    const rule = at.index(i);
    if (count === undefined && indexes === undefined)
      return [required(rule, 'at least one of succeededCount or succeededIndexes must be specified')];
    return [
      ...validateSucceededIndexes(indexes, completions, rule.child('succeededIndexes')),
      ...validateSucceededCount(count, indexes, completions, rule.child('succeededCount')),
    ];
  });
}

/** The longest text of indexes, in bytes. */
const LONGEST_INDEXES = 65_536;

function validateSucceededIndexes(indexes: string | undefined, completions: number, path: FieldPath): FieldError[] {
  if (indexes === undefined) return [];
  const errors = Buffer.byteLength(indexes) > LONGEST_INDEXES ? [tooLong(path, '', LONGEST_INDEXES)] : [];
  const problem = indexesProblem(indexes, completions);
  if (problem !== undefined) errors.push(invalidValue(path, indexes, `error parsing succeededIndexes: ${problem}`));
  return errors;
}

function validateSucceededCount(
  count: number | undefined,
  indexes: string | undefined,
  completions: number,
  path: FieldPath,
): FieldError[] {
  if (count === undefined) return [];
  const atMost = (most: number, what: string) =>
    count > most ? [invalidValue(path, count, `must be less than or equal to ${most} (the number of ${what})`)] : [];
  return [
    ...validateNonnegative(count, path),
    ...atMost(completions, 'specified completions'),
    ...(indexes === undefined
      ? []
      : atMost(indexCount(indexes, completions), 'indexes in the specified succeededIndexes field')),
  ];
}

/** The longest name of a managing controller, in characters. */
const LONGEST_MANAGER = 63;

/** Validates the name of the controller that manages a job instead of the usual one. */
function validateManager(name: string | undefined, path: FieldPath): FieldError[] {
  if (name === undefined) return [];
  const errors = validateDomainPrefixedPath(name, path);
  return name.length > LONGEST_MANAGER ? [...errors, tooLong(path, name, LONGEST_MANAGER)] : errors;
}

/** Validates the selector of a job. It must exist, be well formed, and select the job's own pods. */
export function validateJobSelector({ selector, template }: JobSpec, path: FieldPath): FieldError[] {
  const at = path.child('selector');
  return [
    ...(selector === undefined ? [required(at)] : validateLabelSelector(selector, at)),
    ...(isUsable(selector, at) ? validateSelects(selector, template.metadata?.labels, path.child('template')) : []),
  ];
}
