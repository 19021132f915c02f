import type { FieldError, FieldPath } from '../../../errors/field-error.ts';
import type { WriteContext } from '../../../registry/resource-definition.ts';
import type { ObjectMeta } from '../../../schema/api-object.ts';
import type { PodSpec, PodTemplateSpec } from '../../../schema/generated/core.v1.ts';

/** Checks the spec of a pod or template whose metadata is `metadata`; `old` is the stored pod or template. */
export function validatePodSpec(
  _spec: PodSpec,
  _metadata: ObjectMeta,
  _path: FieldPath,
  _context: WriteContext,
  _old?: PodTemplateSpec | null,
): FieldError[] {
  return [];
}
