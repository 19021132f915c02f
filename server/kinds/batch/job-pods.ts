import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Job } from '#schema/generated/batch.v1.ts';
import { invalidShown } from '#schema/validation/go-list.ts';
import { labelMatcher } from '#schema/validation/label-selector.ts';
import { dns1123Label } from '#schema/validation/names.ts';
import { shownLabels, shownSelector } from '#schema/validation/shown-values.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { isUsable } from '../apps/workload-selector.ts';

/**
 * The labels by which a job finds its pods. Since 1.27 pods also have them with a prefix, and jobs select by that
 * label.
 */
const UID = 'controller-uid';
const NAME = 'job-name';

const prefixed = (label: string, naming: Naming) => naming.key(`batch/${label}`);

/** The labels that a job gives to its pods. The first is the label of its selector. */
function ownLabels(
  { uid = '', name = '' }: Job['metadata'],
  { naming, release }: Rules,
): readonly (readonly [key: string, value: string])[] {
  const old = [
    [UID, uid],
    [NAME, name],
  ] as const;
  if (!release.atLeast(27)) return old;
  return [...old.map(([label, value]) => [prefixed(label, naming), value] as const), ...old];
}

type Rules = Pick<WriteContext, 'naming' | 'release'>;

const SPEC = new FieldPath('spec');

/**
 * Adds the job's name and uid as labels to the pod template of a new job, and makes the job select its pods by the uid,
 * unless both are given.
 */
export function selectOwnPods(job: Job, rules: Rules): void {
  const { metadata, spec } = job;
  if (spec === undefined || spec.manualSelector === true) return;
  const own = ownLabels(metadata, rules);
  const template = (spec.template.metadata ??= {});
  // A job that took its labels from its template still shares them.
  const shared = metadata.labels !== undefined && metadata.labels === template.labels;
  template.labels = { ...Object.fromEntries(own), ...template.labels };
  if (shared) metadata.labels = template.labels;
  spec.selector = {
    ...spec.selector,
    matchLabels: { [own[0]![0]]: metadata.uid ?? '', ...spec.selector?.matchLabels },
  };
}

function hasPodLabel({ spec }: Job, label: string): boolean {
  return Object.hasOwn(spec?.template.metadata?.labels ?? {}, label);
}

function validateHasLabel(job: Job, key: string, value: string): FieldError[] {
  const labels = job.spec?.template.metadata?.labels ?? {};
  const path = SPEC.child('template', 'metadata', 'labels').key(key);
  const detail = `must be '${value}'`;
  const found = Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (found === undefined) return [required(path, detail)];
  return found === value ? [] : [invalidShown(path, shownLabels(labels), detail)];
}

/** Checks that the selector is the generated one, unless the job manages its selector itself. */
export function validateGeneratedSelector(job: Job, old: Job | undefined, rules: Rules): FieldError[] {
  const selector = job.spec?.selector;
  if (job.spec?.manualSelector === true || selector === undefined) return [];
  const { uid = '' } = job.metadata;
  const path = SPEC.child('selector');
  const all = ownLabels(job.metadata, rules);
  // A job of an earlier release continues without the labels of later ones.
  const expected = [
    ...all.slice(-2),
    ...all.slice(0, -2).filter(([key]) => old === undefined || hasPodLabel(old, key)),
  ];
  return [
    ...(uid === '' ? [required('metadata.uid')] : []),
    ...expected.flatMap(([label, value]) => validateHasLabel(job, label, value)),
    ...(isUsable(selector, path) && !labelMatcher(selector)(Object.fromEntries(expected))
      ? [invalidShown(path, shownSelector(selector), '`selector` not auto-generated')]
      : []),
  ];
}

/** Validates the name of an indexed job. Its pods are hosts with the name of the job and their index. */
export function validateIndexedName({ metadata, spec }: Job): FieldError[] {
  const { completionMode, completions = 0 } = spec ?? {};
  if (completionMode !== 'Indexed' || completions <= 0) return [];
  const last = `${metadata.name ?? ''}-${completions - 1}`;
  if (dns1123Label(last).length === 0) return [];
  return [
    invalidValue('metadata.name', metadata.name ?? '', `will not able to create pod with invalid DNS label: ${last}`),
  ];
}
