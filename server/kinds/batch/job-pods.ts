import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { Job } from '#schema/generated/batch.v1.ts';
import { invalidShown } from '#schema/validation/go-list.ts';
import { labelMatcher } from '#schema/validation/label-selector.ts';
import { dns1123Label } from '#schema/validation/names.ts';
import { shownLabels, shownSelector } from '#schema/validation/shown-values.ts';
import { isUsable } from '../apps/workload-selector.ts';

/** Labels by which a job finds its pods. */
const UID = 'controller-uid';
const NAME = 'job-name';

const SPEC = new FieldPath('spec');

/**
 * Labels the pods of a new job with its name and uid, and has the job select them by its uid, unless both are given.
 */
export function selectOwnPods(job: Job): void {
  const { metadata, spec } = job;
  if (spec === undefined || spec.manualSelector === true) return;
  const own = { [UID]: metadata.uid ?? '', [NAME]: metadata.name ?? '' };
  const template = (spec.template.metadata ??= {});
  // a job that took its labels from its template goes on to share them
  const shared = metadata.labels !== undefined && metadata.labels === template.labels;
  template.labels = { ...own, ...template.labels };
  if (shared) metadata.labels = template.labels;
  spec.selector = {
    ...spec.selector,
    matchLabels: { [UID]: metadata.uid ?? '', ...spec.selector?.matchLabels },
  };
}

function validateHasLabel(job: Job, key: string, value: string): FieldError[] {
  const labels = job.spec?.template.metadata?.labels ?? {};
  const path = SPEC.child('template', 'metadata', 'labels').key(key);
  const detail = `must be '${value}'`;
  const found = Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (found === undefined) return [required(path, detail)];
  return found === value ? [] : [invalidShown(path, shownLabels(labels), detail)];
}

/** Unless the job says that its selector is its own business, it is the one that a new job is given. */
export function validateGeneratedSelector(job: Job): FieldError[] {
  const selector = job.spec?.selector;
  if (job.spec?.manualSelector === true || selector === undefined) return [];
  const { uid = '', name = '' } = job.metadata;
  const path = SPEC.child('selector');
  return [
    ...(uid === '' ? [required('metadata.uid')] : []),
    ...validateHasLabel(job, UID, uid),
    ...validateHasLabel(job, NAME, name),
    ...(isUsable(selector, path) && !labelMatcher(selector)({ [UID]: uid, [NAME]: name })
      ? [invalidShown(path, shownSelector(selector), '`selector` not auto-generated')]
      : []),
  ];
}

/** Pods of an indexed job are hosts named after the job and their index. */
export function validateIndexedName({ metadata, spec }: Job): FieldError[] {
  const { completionMode, completions = 0 } = spec ?? {};
  if (completionMode !== 'Indexed' || completions <= 0) return [];
  const last = `${metadata.name ?? ''}-${completions - 1}`;
  if (dns1123Label(last).length === 0) return [];
  return [
    invalidValue('metadata.name', metadata.name ?? '', `will not able to create pod with invalid DNS label: ${last}`),
  ];
}
