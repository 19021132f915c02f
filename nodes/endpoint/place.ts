import type { ContainerStatus, Pod } from '#schema/generated/core.v1.ts';
import type { PodMemory } from '../pod-memory.ts';

/** The place of a container of a pod on a simulated node. */
export interface Place {
  readonly node: string;
  readonly pod: Pod;
  readonly container: string;
  readonly memory: PodMemory;
}

/** Finds a container by the names in a path; undefined if there is none. */
export type Find = (namespace: string, pod: string, container: string | undefined) => Place | undefined;

/** The status of a container. */
export function statusIn({ pod, container }: Place): ContainerStatus | undefined {
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = pod.status ?? {};
  return [...(containerStatuses ?? []), ...(initContainerStatuses ?? []), ...(ephemeralContainerStatuses ?? [])].find(
    ({ name }) => name === container,
  );
}

/** A container in words: `container c of pod default/p on node-0`. */
export function inWords({ node, pod, container }: Place): string {
  return `container ${container} of pod ${pod.metadata.namespace}/${pod.metadata.name} on ${node}`;
}
