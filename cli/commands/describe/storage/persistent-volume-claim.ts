import { coreV1 } from '#client/generated/resources.ts';
import type { PersistentVolumeClaim, Pod } from '#schema/generated/core.v1.ts';
import type { Describer } from '../describer.ts';
import { marks, names } from '../heading.ts';
import { controllerOf, listAll } from '../related.ts';
import { ageText, timeText } from '../times.ts';
import { accessModesText } from './access-modes.ts';
import { claimClass } from './claim-class.ts';

/** Describes a claim to a volume. Shows its volume, and the pods that use it. */
export const describePersistentVolumeClaim: Describer = async (writer, object, context) => {
  const claim = object as PersistentVolumeClaim;
  const { metadata, spec = {}, status = {} } = claim;
  const bound = Boolean(spec.volumeName);
  const going = metadata.deletionTimestamp;
  const pods = await listAll(context, coreV1.pods, metadata.namespace);
  names(writer, claim);
  writer.field(0, 'StorageClass', claimClass(claim, context));
  writer.field(0, 'Status', going ? `Terminating (lasts ${ageText(going, context.now)})` : (status.phase ?? ''));
  writer.field(0, 'Volume', spec.volumeName ?? '');
  marks(writer, claim);
  writer.field(0, 'Finalizers', `[${(metadata.finalizers ?? []).join(' ')}]`);
  writer.field(0, 'Capacity', bound ? (status.capacity?.['storage'] ?? '0') : '');
  writer.field(0, 'Access Modes', bound ? accessModesText(status.accessModes) : '');
  writer.optional(0, 'VolumeMode', spec.volumeMode);
  if (spec.dataSource) {
    const { apiGroup, kind, name } = spec.dataSource;
    writer.line(0, 'DataSource:');
    if (apiGroup != null) writer.field(1, 'APIGroup', apiGroup);
    writer.fields(1, { Kind: kind, Name: name });
  }
  const users = pods.filter((pod) => uses(pod, claim)).map((pod) => pod.metadata.name ?? '');
  writer.list(0, 'Used By', users);
  if (!status.conditions?.length) return;
  writer.line(0, 'Conditions:');
  writer.table(
    1,
    ['Type', 'Status', 'LastProbeTime', 'LastTransitionTime', 'Reason', 'Message'],
    status.conditions.map((one) => [
      `${one.type} `,
      `${one.status} `,
      `${timeText(one.lastProbeTime)} `,
      `${timeText(one.lastTransitionTime)} `,
      one.reason ?? '',
      one.message ?? '',
    ]),
    ['----', '------', '-----------------', '------------------', '------', '-------'],
  );
};

/** Whether a pod names the claim, or the claim belongs to an ephemeral volume of the pod. */
function uses({ metadata, spec }: Pod, claim: PersistentVolumeClaim): boolean {
  return (spec?.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return persistentVolumeClaim.claimName === claim.metadata.name;
    const own = ephemeral && `${metadata.name}-${name}` === claim.metadata.name;
    return own ? controllerOf(claim)?.uid === metadata.uid : false;
  });
}
