import { type FieldError, type FieldPath, forbiddenField } from '#base/errors/field-error.ts';
import type { PersistentVolumeClaimTemplate } from '#schema/generated/core.v1.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import { validateAnnotations } from '#schema/validation/annotations.ts';
import { validateLabels } from '#schema/validation/labels.ts';
import { validateClaimSpec } from '../persistent-volume-claim.ts';
import type { PodSpecContext } from './context.ts';

/** The allowed metadata fields of a claim template in a pod. */
const CLAIM_METADATA = ['labels', 'annotations'];

/**
 * Validates the metadata of a template of claims: labels and annotations. `refusal` is the error about other fields.
 */
export function validateTemplateMetadata(
  metadata: ObjectMeta | undefined,
  path: FieldPath,
  refusal: string,
): FieldError[] {
  return [
    ...validateAnnotations(metadata?.annotations, path.child('annotations')),
    ...validateLabels(metadata?.labels, path.child('labels')),
    ...Object.entries(metadata ?? {})
      .filter(([field, value]) => value != null && !CLAIM_METADATA.includes(field))
      .map(([field]) => forbiddenField(path.child(field === 'uid' ? 'uID' : field), refusal)),
  ];
}

/** Validates a claim that is made for a pod and exists as long as the pod. */
export function validateClaimTemplate(
  template: PersistentVolumeClaimTemplate,
  path: FieldPath,
  { gates, release }: Pick<PodSpecContext, 'gates' | 'release'>,
): FieldError[] {
  const refusal = release.atLeast(37) ? 'cannot be set' : 'cannot be set for an ephemeral volume';
  const rules = { allowSinglePod: gates.enabled('ReadWriteOncePod') };
  return [
    ...validateTemplateMetadata(template.metadata, path.child('metadata'), refusal),
    ...validateClaimSpec(template.spec ?? {}, rules, path.child('spec')),
  ];
}
