import type { Naming } from '#base/naming/naming.ts';
import type { PodSpec } from '../../generated/core.v1.ts';
import type { ObjectMeta } from '../../objects/api-object.ts';
import { defaultContainer, defaultHostPorts } from './default-container.ts';
import { defaultVolume } from './default-volume.ts';

/**
 * Fills in the missing fields of the spec of a pod or of a pod template. Changes its argument. A second call changes
 * nothing.
 */
export function defaultPodSpec(spec: PodSpec): void {
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  mirrorServiceAccount(spec);
  if (spec.hostNetwork === true) {
    defaultHostPorts(spec.containers);
    defaultHostPorts(spec.initContainers);
  }
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const list of [spec.initContainers, spec.containers, spec.ephemeralContainers]) {
    for (const container of list ?? []) defaultContainer(container);
  }
}

/** The old name of the service account's field always has the value of the new field. */
function mirrorServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

/** Earlier versions had init containers in annotations. These annotations are removed. */
export function dropInitContainerAnnotations(metadata: ObjectMeta, naming: Pick<Naming, 'key'>): void {
  if (metadata.annotations === undefined) return;
  for (const stage of ['alpha', 'beta']) {
    for (const name of ['init-containers', 'init-container-statuses']) {
      delete metadata.annotations[naming.key(`pod.${stage}/${name}`)];
    }
  }
}
