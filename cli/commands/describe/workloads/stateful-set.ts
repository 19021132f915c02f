import { selectorText } from '#client/label-selector.ts';
import type { StatefulSet } from '#schema/generated/apps.v1.ts';
import type { PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import type { DescribeContext, Describer } from '../describer.ts';
import { marks, names } from '../heading.ts';
import { describeTemplate } from '../pod/template.ts';
import { claimClass } from '../storage/claim-class.ts';
import { timeText } from '../times.ts';
import type { DescriptionWriter } from '../writer.ts';
import { podCountsText } from './pod-counts.ts';

/** Describes a stateful set. Shows its progress, the template of its pods, and the volumes that each pod claims. */
export const describeStatefulSet: Describer = async (writer, object, context) => {
  const { metadata, spec, status } = object as StatefulSet;
  const { type = '', rollingUpdate } = spec?.updateStrategy ?? {};
  const selector = selectorText(spec?.selector);
  names(writer, object);
  writer.field(0, 'CreationTimestamp', timeText(metadata.creationTimestamp));
  writer.field(0, 'Selector', selector || '<none>');
  marks(writer, object);
  writer.field(0, 'Replicas', `${spec?.replicas ?? 0} desired | ${status?.replicas ?? 0} total`);
  writer.field(0, 'Update Strategy', type);
  if (rollingUpdate?.partition != null) writer.field(1, 'Partition', rollingUpdate.partition);
  if (rollingUpdate?.maxUnavailable != null) writer.field(1, 'MaxUnavailable', rollingUpdate.maxUnavailable);
  writer.field(0, 'Pods Status', await podCountsText(object, selector, context));
  describeTemplate(writer, spec?.template);
  describeClaims(writer, spec?.volumeClaimTemplates ?? [], context);
};

function describeClaims(
  writer: DescriptionWriter,
  claims: readonly PersistentVolumeClaim[],
  context: DescribeContext,
): void {
  writer.line(0, claims.length === 0 ? 'Volume Claims:\t<none>' : 'Volume Claims:');
  for (const claim of claims) {
    const { metadata, spec } = claim;
    writer.field(1, 'Name', metadata.name ?? '');
    writer.field(1, 'StorageClass', claimClass(claim, context));
    writer.labels(1, 'Labels', metadata.labels);
    writer.labels(1, 'Annotations', metadata.annotations);
    writer.field(1, 'Capacity', spec?.resources?.requests?.['storage'] ?? '<default>');
    writer.field(1, 'Access Modes', `[${(spec?.accessModes ?? []).join(' ')}]`);
  }
}
