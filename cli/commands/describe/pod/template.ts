import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import type { DescriptionWriter } from '../writer.ts';
import { describeContainers } from './containers.ts';
import { describeSpread, describeTolerations } from './scheduling.ts';
import { describeVolumes } from './volumes.ts';

/** Describes the template of a workload's pods. */
export function describeTemplate(writer: DescriptionWriter, template: PodTemplateSpec | null | undefined): void {
  writer.line(0, 'Pod Template:');
  if (!template) {
    writer.line(1, '<unset>');
    return;
  }
  const { metadata, spec = { containers: [] } } = template;
  writer.labels(1, 'Labels', metadata?.labels);
  if (Object.keys(metadata?.annotations ?? {}).length > 0) writer.annotations(1, metadata?.annotations);
  writer.optional(1, 'Service Account', spec.serviceAccountName);
  if (spec.initContainers?.length) describeContainers(writer, 'Init Containers', spec.initContainers);
  describeContainers(writer, 'Containers', spec.containers);
  describeVolumes(writer, 1, spec.volumes);
  describeSpread(writer, 1, spec);
  writer.optional(1, 'Priority Class Name', spec.priorityClassName);
  writer.labels(1, 'Node-Selectors', spec.nodeSelector);
  describeTolerations(writer, 1, spec);
}
