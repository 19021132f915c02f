import type { FieldError, FieldPath } from '../../../errors/field-error.ts';
import type { WriteContext } from '../../../registry/resource-definition.ts';
import type { PodTemplateSpec } from '../../../schema/generated/core.v1.ts';
import { validateAnnotations } from '../../common/annotations.ts';
import { validateLabels } from '../../common/labels.ts';
import type { PodSpecContext } from './context.ts';
import { defaultPodSpec, dropInitContainerAnnotations } from './default-pod-spec.ts';
import { dropDisabledFields } from './disabled-fields.ts';
import { validatePodSpec } from './validate-pod-spec.ts';
import { podWarnings } from './warnings.ts';

/** Fills what a template of pods leaves out, in place. Idempotent. */
export function defaultPodTemplate(template: PodTemplateSpec | null | undefined, { naming }: PodSpecContext): void {
  if (template?.metadata != null) dropInitContainerAnnotations(template.metadata, naming);
  if (template?.spec != null) defaultPodSpec(template.spec);
}

/**
 * Drops fields whose feature gates are off, unless `old` (the template as stored, undefined on create) uses them
 * already.
 */
export function preparePodTemplate(
  template: PodTemplateSpec | null | undefined,
  old: PodTemplateSpec | null | undefined,
  context: PodSpecContext,
): void {
  dropDisabledFields(template, old, context);
}

/** Checks labels, annotations and the pod's spec; `path` leads to the template. `old` is the template as stored. */
export function validatePodTemplate(
  template: PodTemplateSpec,
  path: FieldPath,
  context: WriteContext,
  old?: PodTemplateSpec | null,
): FieldError[] {
  const { metadata = {}, spec } = template;
  return [
    ...validateLabels(metadata.labels, path.child('metadata', 'labels')),
    ...validateAnnotations(metadata.annotations, path.child('metadata', 'annotations')),
    ...validatePodSpec(spec ?? { containers: null }, metadata, path.child('spec'), context, old),
  ];
}

/** Warnings about fields, annotations and values of a template that are deprecated or do not work. */
export function podTemplateWarnings(
  template: PodTemplateSpec | null | undefined,
  path: FieldPath,
  old: PodTemplateSpec | null | undefined,
  context: PodSpecContext,
): string[] {
  return template == null ? [] : podWarnings(template, path, old ?? undefined, context);
}
