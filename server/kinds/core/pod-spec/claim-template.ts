import { type FieldError, type FieldPath, forbiddenField } from '#base/errors/field-error.ts';
import type { PersistentVolumeClaimTemplate } from '#schema/generated/core.v1.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import { validateAnnotations } from '#schema/validation/annotations.ts';
import { validateLabels } from '#schema/validation/labels.ts';
import { validateClaimSpec } from '../persistent-volume-claim.ts';
import type { PodSpecContext } from './context.ts';

/** The allowed metadata fields of a claim template in a pod. */
const CLAIM_METADATA = ['labels', 'annotations'];

/** A claim that is made for a pod and lives as long as it. */
export function validateClaimTemplate(
  template: PersistentVolumeClaimTemplate,
  path: FieldPath,
  { gates }: Pick<PodSpecContext, 'gates'>,
): FieldError[] {
  const metadata: ObjectMeta = template.metadata ?? {};
  const at = path.child('metadata');
  const rules = { allowSinglePod: gates.enabled('ReadWriteOncePod') };
  return [
    ...validateAnnotations(metadata.annotations, at.child('annotations')),
    ...validateLabels(metadata.labels, at.child('labels')),
    ...Object.entries(metadata)
      .filter(([field, value]) => value != null && !CLAIM_METADATA.includes(field))
      .map(([field]) =>
        forbiddenField(at.child(field === 'uid' ? 'uID' : field), 'cannot be set for an ephemeral volume'),
      ),
    ...validateClaimSpec(template.spec ?? {}, rules, path.child('spec')),
  ];
}
