import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  SeccompProfile,
  VolumeMount,
} from '#schema/generated/core.v1.ts';
import { timeText } from '../times.ts';
import type { DescriptionWriter } from '../writer.ts';
import { describeEnvironment } from './environment.ts';
import { probeText } from './probe.ts';

/**
 * The owner of the containers. This is a pod with container statuses, or a template, whose containers are indented one
 * level more.
 */
export interface ContainersOf {
  readonly pod?: Pod;
  readonly statuses?: readonly ContainerStatus[] | null | undefined;
}

/** Writes a heading and each container. */
export function describeContainers(
  writer: DescriptionWriter,
  title: string,
  containers: readonly Container[] | null | undefined,
  { pod, statuses }: ContainersOf = {},
): void {
  const lead = pod === undefined ? ' ' : '';
  writer.line(pod === undefined ? 1 : 0, containers?.length ? `${title}:` : `${title}: <none>`);
  for (const container of containers ?? []) {
    writer.line(1, `${lead}${container.name}:`);
    describeContainer(
      writer,
      container,
      statuses?.find(({ name }) => name === container.name),
      pod,
    );
  }
}

function describeContainer(
  writer: DescriptionWriter,
  container: Container,
  status: ContainerStatus | undefined,
  pod: Pod | undefined,
): void {
  if (status !== undefined) writer.field(2, 'Container ID', status.containerID ?? '');
  writer.field(2, 'Image', container.image ?? '');
  if (status !== undefined) writer.field(2, 'Image ID', status.imageID);
  describePorts(writer, container);
  describeSeccomp(writer, 2, container.securityContext?.seccompProfile);
  describeWords(writer, 'Command', container.command);
  describeWords(writer, 'Args', container.args);
  if (status !== undefined) describeStatus(writer, status);
  describeAmounts(writer, 'Limits', container.resources?.limits);
  describeAmounts(writer, 'Requests', container.resources?.requests);
  const { livenessProbe, readinessProbe, startupProbe } = container;
  if (livenessProbe) writer.field(2, 'Liveness', probeText(livenessProbe));
  if (readinessProbe) writer.field(2, 'Readiness', probeText(readinessProbe));
  if (startupProbe) writer.field(2, 'Startup', probeText(startupProbe));
  describeEnvironment(writer, container, pod);
  describeMounts(writer, container);
}

function describePorts(writer: DescriptionWriter, { ports }: Container): void {
  const all = ports ?? [];
  const s = all.length > 1 ? 's' : '';
  const text = (numbers: string[]) => numbers.join(', ') || '<none>';
  const protocols = all.map(({ protocol = '' }) => protocol);
  writer.field(2, `Port${s}`, text(all.map(({ containerPort }, at) => `${containerPort}/${protocols[at]}`)));
  writer.field(2, `Host Port${s}`, text(all.map(({ hostPort = 0 }, at) => `${hostPort}/${protocols[at]}`)));
}

/** Writes the profile for system calls of a pod or a container. */
export function describeSeccomp(
  writer: DescriptionWriter,
  level: number,
  profile: SeccompProfile | null | undefined,
): void {
  if (!profile) return;
  writer.field(level, 'SeccompProfile', profile.type);
  if (profile.type === 'Localhost')
    writer.field(level === 0 ? 0 : level + 1, 'LocalhostProfile', profile.localhostProfile ?? '');
}

function describeWords(writer: DescriptionWriter, title: string, words: readonly string[] | null | undefined): void {
  if (!words?.length) return;
  writer.line(2, `${title}:`);
  for (const line of words.flatMap((word) => word.split('\n'))) writer.line(3, line);
}

function describeStatus(writer: DescriptionWriter, status: ContainerStatus): void {
  describeState(writer, 'State', status.state ?? {});
  if (status.lastState?.terminated) describeState(writer, 'Last State', status.lastState);
  writer.field(2, 'Ready', status.ready ? 'True' : 'False');
  writer.field(2, 'Restart Count', status.restartCount);
}

function describeState(
  writer: DescriptionWriter,
  title: string,
  { running, waiting, terminated }: ContainerState,
): void {
  if (running) {
    writer.field(2, title, 'Running');
    writer.field(3, 'Started', timeText(running.startedAt));
  } else if (terminated && !waiting) {
    writer.field(2, title, 'Terminated');
    writer.optional(3, 'Reason', terminated.reason);
    writer.optional(3, 'Message', terminated.message);
    writer.field(3, 'Exit Code', terminated.exitCode);
    if (terminated.signal) writer.field(3, 'Signal', terminated.signal);
    writer.field(3, 'Started', timeText(terminated.startedAt));
    writer.field(3, 'Finished', timeText(terminated.finishedAt));
  } else {
    writer.field(2, title, 'Waiting');
    writer.optional(3, 'Reason', waiting?.reason);
  }
}

function describeAmounts(
  writer: DescriptionWriter,
  title: string,
  amounts: Readonly<Record<string, string>> | null | undefined,
): void {
  const resources = Object.keys(amounts ?? {}).sort();
  if (resources.length > 0) writer.line(2, `${title}:`);
  for (const resource of resources) writer.field(3, resource, amounts![resource]);
}

function describeMounts(writer: DescriptionWriter, { volumeMounts, volumeDevices }: Container): void {
  writer.line(2, volumeMounts?.length ? 'Mounts:' : 'Mounts:\t<none>');
  for (const mount of byText(volumeMounts ?? [], ({ mountPath }) => mountPath))
    writer.line(3, `${mount.mountPath} from ${mount.name} (${mountFlags(mount)})`);
  if (!volumeDevices?.length) return;
  writer.line(2, 'Devices:');
  for (const { devicePath, name } of byText(volumeDevices, (device) => device.devicePath))
    writer.line(3, `${devicePath} from ${name}`);
}

function mountFlags({ readOnly, subPath }: VolumeMount): string {
  return `${readOnly ? 'ro' : 'rw'}${subPath ? `,path="${subPath}"` : ''}`;
}

/** Sorts items by a text of each item. */
export function byText<T>(values: readonly T[], text: (value: T) => string): T[] {
  return [...values].sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
}
