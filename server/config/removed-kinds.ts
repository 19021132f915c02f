import { table } from '#base/collections/own-properties.ts';

/**
 * Removed versions of kinds whose fields are equal to those of the remaining version, by group (short form) and
 * version. The server still accepts objects with such a version.
 */
const REMOVED: Readonly<Record<string, readonly string[]>> = table({
  'admissionregistration/v1beta1': ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
  'apps/v1beta1': ['ControllerRevision', 'Deployment', 'StatefulSet'],
  'apps/v1beta2': ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  'batch/v1beta1': ['CronJob'],
  'certificates/v1beta1': ['CertificateSigningRequest'],
  'coordination/v1beta1': ['Lease'],
  'events/v1beta1': ['Event'],
  'extensions/v1beta1': ['DaemonSet', 'Deployment', 'NetworkPolicy', 'ReplicaSet'],
  'networking/v1beta1': ['IngressClass'],
  'node/v1beta1': ['RuntimeClass'],
  'policy/v1beta1': ['PodDisruptionBudget'],
  'rbac.authorization/v1beta1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'scheduling/v1alpha1': ['PriorityClass'],
  'scheduling/v1beta1': ['PriorityClass'],
  'storage/v1beta1': ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment'],
});

/** Whether a version (of a group in its short form) once had this kind with today's fields. */
export function isRemoved(group: string, version: string, kind: string): boolean {
  return REMOVED[`${group}/${version}`]?.includes(kind) === true;
}
