import type { Pod } from '#schema/generated/core.v1.ts';
import type { Describer } from '../describer.ts';
import { controlledBy, marks, names } from '../heading.ts';
import { ageText, timeText } from '../times.ts';
import type { DescriptionWriter } from '../writer.ts';
import { describeContainers, describeSeccomp } from './containers.ts';
import { describeSpread, describeTolerations } from './scheduling.ts';
import { describeVolumes } from './volumes.ts';

/** Describes a pod. Shows its node, its containers and their states, and its volumes. */
export const describePod: Describer = (writer, object, { now }) => {
  const pod = object as Pod;
  const { metadata, status = {} } = pod;
  const spec = pod.spec ?? { containers: [] };
  names(writer, pod);
  if (spec.priority != null) writer.field(0, 'Priority', spec.priority);
  writer.optional(0, 'Priority Class Name', spec.priorityClassName);
  writer.optional(0, 'Runtime Class Name', spec.runtimeClassName);
  writer.optional(0, 'Service Account', spec.serviceAccountName);
  writer.field(0, 'Node', spec.nodeName ? `${spec.nodeName}/${status.hostIP ?? ''}` : '<none>');
  if (status.startTime) writer.field(0, 'Start Time', timeText(status.startTime));
  marks(writer, pod);
  if (metadata.deletionTimestamp) {
    writer.field(0, 'Status', `Terminating (lasts ${ageText(metadata.deletionTimestamp, now)})`);
    writer.field(0, 'Termination Grace Period', `${metadata.deletionGracePeriodSeconds ?? 0}s`);
  } else writer.field(0, 'Status', status.phase ?? '');
  writer.optional(0, 'Reason', status.reason);
  writer.optional(0, 'Message', status.message);
  describeSeccomp(writer, 0, spec.securityContext?.seccompProfile);
  writer.field(0, 'IP', status.podIP ?? '');
  describeAddresses(writer, pod);
  controlledBy(writer, pod);
  writer.optional(0, 'NominatedNodeName', status.nominatedNodeName);
  const { initContainers, ephemeralContainers } = spec;
  if (initContainers?.length)
    describeContainers(writer, 'Init Containers', initContainers, { pod, statuses: status.initContainerStatuses });
  describeContainers(writer, 'Containers', spec.containers, { pod, statuses: status.containerStatuses });
  if (ephemeralContainers?.length)
    describeContainers(writer, 'Ephemeral Containers', ephemeralContainers, {
      pod,
      statuses: status.ephemeralContainerStatuses,
    });
  describeConditions(writer, pod);
  describeVolumes(writer, 0, spec.volumes);
  writer.field(0, 'QoS Class', status.qosClass ?? '');
  writer.labels(0, 'Node-Selectors', spec.nodeSelector);
  describeTolerations(writer, 0, spec);
  describeSpread(writer, 0, spec);
};

function describeAddresses(writer: DescriptionWriter, { status }: Pod): void {
  const addresses = status?.podIPs ?? [];
  writer.line(0, addresses.length === 0 ? 'IPs:\t<none>' : 'IPs:');
  for (const { ip = '' } of addresses) writer.field(1, 'IP', ip);
}

function describeConditions(writer: DescriptionWriter, { spec, status }: Pod): void {
  const conditions = status?.conditions ?? [];
  const gates = spec?.readinessGates ?? [];
  const heads = ['Type', 'Status'];
  if (gates.length > 0) {
    writer.line(0, 'Readiness Gates:');
    const stateOf = (wanted: string) => conditions.find(({ type }) => type === wanted)?.status ?? '<none>';
    const rows = gates.map(({ conditionType }) => [`${conditionType} `, `${stateOf(conditionType)} `]);
    writer.table(1, heads, rows, []);
  }
  if (conditions.length === 0) return;
  writer.line(0, 'Conditions:');
  const rows = conditions.map(({ type, status: state }) => [`${type} `, `${state} `]);
  writer.table(1, heads, rows, []);
}
