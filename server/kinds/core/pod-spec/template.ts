import { type FieldError, type FieldPath, forbiddenField } from '#base/errors/field-error.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { validateAnnotations } from '#schema/validation/annotations.ts';
import { validateLabels } from '#schema/validation/labels.ts';
import { validatePodAnnotations, validateProfilesAgree } from './annotations.ts';
import type { PodSpecContext } from './context.ts';
import { dropDisabledFields } from './disabled-fields.ts';
import { validatePodSpec } from './validate-pod-spec.ts';
import { podWarnings } from './warnings.ts';

/**
 * Drops fields whose feature gates are off, unless `old` (the stored template, undefined on create) already uses them.
 */
export function preparePodTemplate(
  template: PodTemplateSpec | null | undefined,
  old: PodTemplateSpec | null | undefined,
  context: PodSpecContext,
): void {
  dropDisabledFields(template, old, context);
}

type Templated = ApiObject & { readonly spec?: { readonly template?: PodTemplateSpec | null } };

/** The rules of a kind of which only the template needs preparation. */
export const preparesTemplate = {
  prepareForCreate({ spec }: Templated, context: PodSpecContext): void {
    preparePodTemplate(spec?.template, undefined, context);
  },
  prepareForUpdate({ spec }: Templated, old: Templated, context: PodSpecContext): void {
    preparePodTemplate(spec?.template, old.spec?.template, context);
  },
};

/** Checks labels, annotations and the pod's spec. `path` leads to the template. `old` is the stored template. */
export function validatePodTemplate(
  template: PodTemplateSpec | null | undefined,
  path: FieldPath,
  context: PodSpecContext,
  old?: PodTemplateSpec | null,
): FieldError[] {
  const { metadata = {}, spec = { containers: null } } = template ?? {};
  const { annotations } = metadata;
  const errors = [
    ...validateLabels(metadata.labels, path.child('labels')),
    ...validateAnnotations(annotations, path.child('annotations')),
    ...validatePodAnnotations(annotations, spec, path.child('annotations'), context, old?.metadata?.annotations),
    ...validatePodSpec(spec, undefined, path.child('spec'), context),
    ...validateProfilesAgree(annotations, spec, path.child('spec'), context),
  ];
  if ((spec.ephemeralContainers?.length ?? 0) > 0) {
    const detail = 'ephemeral containers not allowed in pod template';
    errors.push(forbiddenField(path.child('spec', 'ephemeralContainers'), detail));
  }
  return errors;
}

/** Warnings about fields, annotations and values of a template that are deprecated or do not work. */
export function podTemplateWarnings(
  template: PodTemplateSpec | null | undefined,
  path: FieldPath,
  context: PodSpecContext,
): string[] {
  return template == null ? [] : podWarnings(template, path, context);
}
