import { ingress, ingressClass } from './ingress.ts';
import { networkPolicy } from './network-policy.ts';
import type { RemovedForm } from './removed-form.ts';
import { appsDeployment, daemonSet, extensionsDeployment, replicaSet, statefulSet } from './workloads.ts';

/** A version of kinds that the server no longer serves. Groups are in their short form. */
export interface RemovedVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly string[];
  /** The group and version that replaced it. */
  readonly successor: readonly [group: string, version: string];
  /**
   * The differences between its objects and those of its successor; undefined if both have the same form and defaults.
   */
  readonly form?: RemovedForm;
}

const APPS = ['apps', 'v1'] as const;

const NETWORKING = ['networking', 'v1'] as const;

function removed(
  [group, version]: readonly [string, string],
  successor: readonly [string, string],
  kinds: readonly string[],
  form?: RemovedForm,
): RemovedVersion {
  return { group, version, kinds, successor, ...(form === undefined ? {} : { form }) };
}

/**
 * Versions of built-in kinds that the server no longer serves. Their missing fields and their defaults are from the Go
 * module `api` 0.25.
 */
export const REMOVED_VERSIONS: readonly RemovedVersion[] = [
  removed(['apps', 'v1beta2'], APPS, ['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet', 'ControllerRevision']),
  removed(['apps', 'v1beta1'], APPS, ['Deployment'], appsDeployment),
  removed(['apps', 'v1beta1'], APPS, ['StatefulSet'], statefulSet),
  removed(['apps', 'v1beta1'], APPS, ['ControllerRevision']),
  removed(['batch', 'v1beta1'], ['batch', 'v1'], ['CronJob']),
  removed(['coordination', 'v1beta1'], ['coordination', 'v1'], ['Lease']),
  removed(['extensions', 'v1beta1'], APPS, ['Deployment'], extensionsDeployment),
  removed(['extensions', 'v1beta1'], APPS, ['ReplicaSet'], replicaSet),
  removed(['extensions', 'v1beta1'], APPS, ['DaemonSet'], daemonSet),
  removed(['extensions', 'v1beta1'], NETWORKING, ['Ingress'], ingress),
  removed(['extensions', 'v1beta1'], NETWORKING, ['NetworkPolicy'], networkPolicy),
  removed(['networking', 'v1beta1'], NETWORKING, ['Ingress'], ingress),
  removed(['networking', 'v1beta1'], NETWORKING, ['IngressClass'], ingressClass),
  removed(['node', 'v1beta1'], ['node', 'v1'], ['RuntimeClass']),
  removed(
    ['rbac.authorization', 'v1beta1'],
    ['rbac.authorization', 'v1'],
    ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'],
  ),
  removed(['scheduling', 'v1beta1'], ['scheduling', 'v1'], ['PriorityClass']),
  removed(['storage', 'v1beta1'], ['storage', 'v1'], ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment']),
];
