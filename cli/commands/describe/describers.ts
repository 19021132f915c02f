import type { Naming } from '#base/naming/naming.ts';
import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { Describer } from './describer.ts';

/** How to describe objects of a kind. */
export interface Description {
  /** Loads the describer when it is needed. */
  readonly load: () => Promise<Describer>;
  /** Whether the description includes events. */
  readonly events: boolean;
  /** The version that the description expects, if a group serves the kind in several versions. */
  readonly version?: string;
}

const any: Description = { load: async () => (await import('./generic.ts')).describeAny, events: true };

/** Descriptions of single kinds, by the plural name and the short form of the group. */
const descriptions: Readonly<Record<string, Description>> = {
  pods: { load: async () => (await import('./pod/pod.ts')).describePod, events: true },
  secrets: { load: async () => (await import('./access/secret.ts')).describeSecret, events: false },
  serviceaccounts: {
    load: async () => (await import('./access/service-account.ts')).describeServiceAccount,
    events: true,
  },
  configmaps: { load: async () => (await import('./config-map.ts')).describeConfigMap, events: true },
  namespaces: { load: async () => (await import('./namespace.ts')).describeNamespace, events: false },
  resourcequotas: { load: async () => (await import('./resource-quota.ts')).describeResourceQuota, events: false },
  limitranges: { load: async () => (await import('./limit-range.ts')).describeLimitRange, events: false },
  replicationcontrollers: {
    load: async () => (await import('./workloads/replica-set.ts')).describeReplicaSet,
    events: true,
  },
  'replicasets.apps': {
    load: async () => (await import('./workloads/replica-set.ts')).describeReplicaSet,
    events: true,
  },
  'deployments.apps': {
    load: async () => (await import('./workloads/deployment.ts')).describeDeployment,
    events: true,
  },
  'statefulsets.apps': {
    load: async () => (await import('./workloads/stateful-set.ts')).describeStatefulSet,
    events: true,
  },
  'daemonsets.apps': { load: async () => (await import('./workloads/daemon-set.ts')).describeDaemonSet, events: true },
  'jobs.batch': { load: async () => (await import('./workloads/job.ts')).describeJob, events: true },
  'cronjobs.batch': { load: async () => (await import('./workloads/cron-job.ts')).describeCronJob, events: true },
  'priorityclasses.scheduling': {
    load: async () => (await import('./priority-class.ts')).describePriorityClass,
    events: true,
  },
  services: { load: async () => (await import('./network/service.ts')).describeService, events: true },
  endpoints: { load: async () => (await import('./network/endpoints.ts')).describeEndpoints, events: true },
  'endpointslices.discovery': {
    load: async () => (await import('./network/endpoint-slice.ts')).describeEndpointSlice,
    events: true,
  },
  'ingresses.networking': { load: async () => (await import('./network/ingress.ts')).describeIngress, events: true },
  'ingressclasses.networking': {
    load: async () => (await import('./network/ingress-class.ts')).describeIngressClass,
    events: true,
  },
  'networkpolicies.networking': {
    load: async () => (await import('./network/network-policy.ts')).describeNetworkPolicy,
    events: false,
  },
  nodes: { load: async () => (await import('./node/node.ts')).describeNode, events: true },
  persistentvolumes: {
    load: async () => (await import('./storage/persistent-volume.ts')).describePersistentVolume,
    events: true,
  },
  persistentvolumeclaims: {
    load: async () => (await import('./storage/persistent-volume-claim.ts')).describePersistentVolumeClaim,
    events: true,
  },
  'storageclasses.storage': {
    load: async () => (await import('./storage/storage-class.ts')).describeStorageClass,
    events: true,
  },
  'csinodes.storage': { load: async () => (await import('./storage/csi-node.ts')).describeCsiNode, events: true },
  'roles.rbac.authorization': { load: async () => (await import('./access/role.ts')).describeRole, events: false },
  'clusterroles.rbac.authorization': {
    load: async () => (await import('./access/role.ts')).describeRole,
    events: false,
  },
  'rolebindings.rbac.authorization': {
    load: async () => (await import('./access/role-binding.ts')).describeRoleBinding,
    events: false,
  },
  'clusterrolebindings.rbac.authorization': {
    load: async () => (await import('./access/role-binding.ts')).describeRoleBinding,
    events: false,
  },
  'poddisruptionbudgets.policy': {
    load: async () => (await import('./policy/disruption-budget.ts')).describeDisruptionBudget,
    events: true,
  },
  'horizontalpodautoscalers.autoscaling': {
    load: async () => (await import('./policy/pod-autoscaler.ts')).describePodAutoscaler,
    events: true,
    version: 'v2',
  },
  'certificatesigningrequests.certificates': {
    load: async () => (await import('./policy/certificate-request.ts')).describeCertificateRequest,
    events: true,
  },
};

/** The description of a type; the generic description if the type has no special one. */
export function descriptionOf({ plural, group }: DiscoveredType, naming: Naming): Description {
  const short = group === '' ? '' : naming.shortGroup(group);
  if (short === undefined) return any;
  const name = short === '' ? plural : `${plural}.${short}`;
  return Object.hasOwn(descriptions, name) ? descriptions[name]! : any;
}
