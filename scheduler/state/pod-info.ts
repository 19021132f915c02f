import { type HostPort, hostPortsOf } from '#client/host-ports.ts';
import { keyOf } from '#client/informer/informer.ts';
import type { Affinity, Pod, PodAffinityTerm, TopologySpreadConstraint } from '#schema/generated/core.v1.ts';
import { podRequests } from '#schema/quota/pod-evaluator.ts';
import { type Resources, resourcesOf, type Weight, weightOf } from './resources.ts';

/** A pod, and the facts about it that the scheduler often needs. */
export interface PodInfo {
  readonly pod: Pod;
  readonly key: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly requests: Resources;
  readonly weight: Weight;
  readonly ports: readonly HostPort[];
  readonly affinity: readonly PodAffinityTerm[];
  readonly antiAffinity: readonly PodAffinityTerm[];
  readonly spread: readonly TopologySpreadConstraint[];
  /** Keys of the volume claims that it mounts. */
  readonly claims: readonly string[];
}

/** The fields of pods that a scheduler needs, besides metadata. */
export const POD_FIELDS: readonly string[] = [
  ...['affinity', 'nodeName', 'nodeSelector', 'overhead', 'preemptionPolicy', 'priority', 'resources'],
  ...['schedulerName', 'schedulingGates', 'tolerations', 'topologySpreadConstraints', 'hostNetwork'],
  ...['containers.image', 'containers.ports', 'containers.resources'],
  ...['initContainers.resources', 'initContainers.restartPolicy', 'initContainers.ports'],
  ...['volumes.name', 'volumes.persistentVolumeClaim', 'volumes.ephemeral', 'volumes.csi.driver'],
  ...['resourceClaims.name'],
]
  .map((field) => `spec.${field}`)
  .concat(['status.phase', 'status.nominatedNodeName', 'status.startTime', 'status.conditions']);

const infos = new WeakMap<Pod, PodInfo>();

/** The facts about a pod that the scheduler needs. They are made once for each version of the pod. */
export function podInfo(pod: Pod): PodInfo {
  let info = infos.get(pod);
  if (info === undefined) {
    info = makeInfo(pod);
    infos.set(pod, info);
  }
  return info;
}

function makeInfo(pod: Pod): PodInfo {
  const { metadata, spec = { containers: [] } } = pod;
  const namespace = metadata.namespace ?? '';
  const containers = spec.containers ?? [];
  const affinity: Affinity = spec.affinity ?? {};
  const claims = (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [`${namespace}/${persistentVolumeClaim.claimName}`];
    return ephemeral === undefined ? [] : [`${namespace}/${metadata.name}-${name}`];
  });
  return {
    pod,
    key: keyOf(pod),
    namespace,
    labels: metadata.labels ?? {},
    priority: spec.priority ?? 0,
    requests: resourcesOf(podRequests(spec)),
    weight: weightOf(containers.map(({ resources }) => resources?.requests)),
    ports: hostPortsOf(spec),
    affinity: affinity.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    antiAffinity: affinity.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    spread: spec.topologySpreadConstraints ?? [],
    claims,
  };
}

/** Whether a pod has ended, so that it no longer uses resources of its node. */
export function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
