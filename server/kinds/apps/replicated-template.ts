import type { FieldError, FieldPath } from '#base/errors/field-error.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import type { LabelSelector } from '#schema/validation/label-selector.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { validatePodTemplate } from '../core/pod-spec/template.ts';
import { isUsable, unusable, validateSelects } from './workload-selector.ts';
import { validateRunsForever, validateSharedDisks } from './workload-template.ts';

/** The common part of deployments and replica sets. */
interface Replicated {
  readonly replicas?: number;
  readonly selector: LabelSelector | null;
  readonly template?: PodTemplateSpec;
}

/** Validates the template of equal pods, if their selector is valid. `path` leads to the spec. */
export function validateReplicatedTemplate(
  { replicas = 0, selector, template = {} }: Replicated,
  path: FieldPath,
  context: WriteContext,
  old: PodTemplateSpec | undefined,
): FieldError[] {
  if (!isUsable(selector, path)) return [unusable(selector, path.child('selector'), 'invalid label selector')];
  const at = path.child('template');
  return [
    ...validateSelects(selector, template.metadata?.labels, at),
    ...validatePodTemplate(template, at, context, old),
    ...(replicas > 1 ? validateSharedDisks(template.spec?.volumes, at.child('spec', 'volumes')) : []),
    ...validateRunsForever(template, 'ReplicaSet', at),
  ];
}
