import { defaultRelease, type Release } from '#base/release/release.ts';
import { storageId } from '#schema/descriptors/storage-id.ts';
import type { KindRules } from '../api/resource-definition.ts';
import { RegistrationError } from '../resources/registration.ts';
import {
  mutatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBinding,
} from './admissionregistration/admission-policy-binding.ts';
import { createMutatingPolicyRules } from './admissionregistration/mutating-admission-policy.ts';
import { createValidatingPolicyRules } from './admissionregistration/validating-admission-policy.ts';
import { createWebhookRules } from './admissionregistration/webhook-configurations.ts';
import { apiService } from './apiregistration/api-service.ts';
import { storageVersion } from './apiserverinternal/storage-version.ts';
import { controllerRevision } from './apps/controller-revision.ts';
import { daemonSet } from './apps/daemon-set.ts';
import { deployment } from './apps/deployment.ts';
import { replicaSet } from './apps/replica-set.ts';
import { statefulSet } from './apps/stateful-set.ts';
import { horizontalPodAutoscaler } from './autoscaling/horizontal-pod-autoscaler.ts';
import { cronJob } from './batch/cron-job.ts';
import { job } from './batch/job.ts';
import { certificateSigningRequest } from './certificates/certificate-signing-request.ts';
import { clusterTrustBundle } from './certificates/cluster-trust-bundle.ts';
import { podCertificateRequest } from './certificates/pod-certificate-request.ts';
import { lease } from './coordination/lease.ts';
import { configMap } from './core/config-map.ts';
import { createEndpointsRules } from './core/endpoints.ts';
import { limitRange } from './core/limit-range.ts';
import { namespace } from './core/namespace.ts';
import { node } from './core/node.ts';
import { persistentVolume } from './core/persistent-volume.ts';
import { persistentVolumeClaim } from './core/persistent-volume-claim.ts';
import { pod } from './core/pod.ts';
import { podTemplate } from './core/pod-template.ts';
import { replicationController } from './core/replication-controller.ts';
import { resourceQuota } from './core/resource-quota.ts';
import { secret } from './core/secret.ts';
import type { AllocateService, ServiceNetworks } from './core/service/service-networks.ts';
import { createServiceRules } from './core/service.ts';
import { serviceAccount } from './core/service-account.ts';
import { defineKind } from './define-kind.ts';
import { createEndpointSliceRules } from './discovery/endpoint-slice.ts';
import { eventRules } from './events/event.ts';
import { flowSchema } from './flowcontrol/flow-schema.ts';
import { createPriorityLevelRules } from './flowcontrol/priority-level-configuration.ts';
import { clusterCidr } from './networking/cluster-cidr.ts';
import { createIngressRules } from './networking/ingress.ts';
import { createIngressClassRules } from './networking/ingress-class.ts';
import { ipAddress } from './networking/ip-address.ts';
import { createNetworkPolicyRules } from './networking/network-policy.ts';
import { serviceCidr } from './networking/service-cidr.ts';
import { runtimeClass } from './node/runtime-class.ts';
import { podDisruptionBudget } from './policy/pod-disruption-budget.ts';
import { clusterRoleBinding, roleBinding } from './rbac/bindings.ts';
import { clusterRole, role } from './rbac/roles.ts';
import { deviceClass } from './resource/device-class.ts';
import { deviceTaintRule } from './resource/device-taint-rule.ts';
import { resourceClaim } from './resource/resource-claim.ts';
import { resourceClaimTemplate } from './resource/resource-claim-template.ts';
import { resourceSlice } from './resource/resource-slice.ts';
import { priorityClass } from './scheduling/priority-class.ts';
import { csiDriver } from './storage/csi-driver.ts';
import { csiNode } from './storage/csi-node.ts';
import { csiStorageCapacity } from './storage/csi-storage-capacity.ts';
import { storageClass } from './storage/storage-class.ts';
import { volumeAttachment } from './storage/volume-attachment.ts';
import { volumeAttributesClass } from './storage/volume-attributes-class.ts';
import { storageVersionMigration } from './storagemigration/storage-version-migration.ts';

/** The facts about the server that the rules of some kinds use. */
export interface KindOptions {
  /** The release of the rules; by default the default release. */
  readonly release?: Release;
  readonly serviceNetworks: ServiceNetworks;
  readonly allocateService: AllocateService;
  readonly eventTtlSeconds: number;
}

/** The rules of the kinds that need no facts about the server. */
const same: readonly KindRules[] = [
  clusterTrustBundle,
  podCertificateRequest,
  ipAddress,
  serviceCidr,
  deviceClass,
  deviceTaintRule,
  resourceClaim,
  resourceClaimTemplate,
  resourceSlice,
  volumeAttributesClass,
  storageVersionMigration,
  namespace,
  pod,
  podTemplate,
  clusterCidr,
  replicationController,
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  statefulSet,
  horizontalPodAutoscaler,
  cronJob,
  job,
  podDisruptionBudget,
  mutatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBinding,
  apiService,
  storageVersion,
  certificateSigningRequest,
  lease,
  configMap,
  limitRange,
  node,
  persistentVolume,
  persistentVolumeClaim,
  resourceQuota,
  secret,
  serviceAccount,
  flowSchema,
  runtimeClass,
  clusterRoleBinding,
  roleBinding,
  clusterRole,
  role,
  priorityClass,
  csiDriver,
  csiNode,
  csiStorageCapacity,
  storageClass,
  volumeAttachment,
  // The rules of these kinds come with custom resources.
  defineKind('apiextensions/customresourcedefinitions', {}),
];

/** The rules of the kinds of networks. They differ between releases. */
function networkRules(release: Release): KindRules[] {
  return [
    createEndpointsRules(release),
    createEndpointSliceRules(release),
    createIngressRules(release),
    createIngressClassRules(release),
    createNetworkPolicyRules(release),
  ];
}

/** Rules of every stored kind, by storage identity. */
export function kindRules(options: KindOptions): ReadonlyMap<string, KindRules> {
  const { release = defaultRelease } = options;
  const service = createServiceRules(options.serviceNetworks, options.allocateService, release);
  const levels = createPriorityLevelRules(release) as KindRules;
  const policies = [createMutatingPolicyRules(release) as KindRules, createValidatingPolicyRules(release) as KindRules];
  const webhooks = createWebhookRules(release);
  return byIdentity([
    ...same,
    ...networkRules(release),
    service,
    levels,
    ...policies,
    ...webhooks,
    eventRules(options.eventTtlSeconds),
  ]);
}

function byIdentity(all: readonly KindRules[]): ReadonlyMap<string, KindRules> {
  const kinds = new Map<string, KindRules>();
  for (const rules of all) {
    const id = storageId(rules.group, rules.plural);
    if (kinds.has(id)) throw new RegistrationError([`rules for ${id} twice`]);
    kinds.set(id, rules);
  }
  return kinds;
}
