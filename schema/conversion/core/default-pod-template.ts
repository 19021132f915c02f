import type { PodTemplateSpec } from '../../generated/core.v1.ts';
import type { VersionContext } from '../version-rules.ts';
import { defaultPodSpec, dropInitContainerAnnotations } from './default-pod-spec.ts';

/** Fills in the missing fields of a template of pods. Changes its argument. A second call changes nothing. */
export function defaultPodTemplate(template: PodTemplateSpec | null | undefined, { naming }: VersionContext): void {
  if (template == null) return;
  if (template.metadata != null) dropInitContainerAnnotations(template.metadata, naming);
  template.spec ??= { containers: null };
  defaultPodSpec(template.spec);
}
