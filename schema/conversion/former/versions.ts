import type { FormerForm } from './form.ts';
import { ingress, ingressClass } from './ingress.ts';
import { networkPolicy } from './network-policy.ts';
import { appsDeployment, daemonSet, extensionsDeployment, replicaSet, statefulSet } from './workloads.ts';

/** A version of kinds that is served no more. Groups are in their short form. */
export interface FormerVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly string[];
  /** The group and version that took its place. */
  readonly present: readonly [group: string, version: string];
  /** How its objects differ from those of that one; undefined where they have its form and its defaults. */
  readonly form?: FormerForm;
}

const APPS = ['apps', 'v1'] as const;

const NETWORKING = ['networking', 'v1'] as const;

function former(
  [group, version]: readonly [string, string],
  present: readonly [string, string],
  kinds: readonly string[],
  form?: FormerForm,
): FormerVersion {
  return { group, version, kinds, present, ...(form === undefined ? {} : { form }) };
}

/**
 * Versions of built-in kinds that are served no more; the Go module `api` 0.25 says what they lack and fill in.
 */
export const FORMER_VERSIONS: readonly FormerVersion[] = [
  former(['apps', 'v1beta2'], APPS, ['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet', 'ControllerRevision']),
  former(['apps', 'v1beta1'], APPS, ['Deployment'], appsDeployment),
  former(['apps', 'v1beta1'], APPS, ['StatefulSet'], statefulSet),
  former(['apps', 'v1beta1'], APPS, ['ControllerRevision']),
  former(['batch', 'v1beta1'], ['batch', 'v1'], ['CronJob']),
  former(['coordination', 'v1beta1'], ['coordination', 'v1'], ['Lease']),
  former(['extensions', 'v1beta1'], APPS, ['Deployment'], extensionsDeployment),
  former(['extensions', 'v1beta1'], APPS, ['ReplicaSet'], replicaSet),
  former(['extensions', 'v1beta1'], APPS, ['DaemonSet'], daemonSet),
  former(['extensions', 'v1beta1'], NETWORKING, ['Ingress'], ingress),
  former(['extensions', 'v1beta1'], NETWORKING, ['NetworkPolicy'], networkPolicy),
  former(['networking', 'v1beta1'], NETWORKING, ['Ingress'], ingress),
  former(['networking', 'v1beta1'], NETWORKING, ['IngressClass'], ingressClass),
  former(['node', 'v1beta1'], ['node', 'v1'], ['RuntimeClass']),
  former(
    ['rbac.authorization', 'v1beta1'],
    ['rbac.authorization', 'v1'],
    ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'],
  ),
  former(['scheduling', 'v1beta1'], ['scheduling', 'v1'], ['PriorityClass']),
  former(['storage', 'v1beta1'], ['storage', 'v1'], ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment']),
];
