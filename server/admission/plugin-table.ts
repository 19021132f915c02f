import { type Entry, inForce, since } from '#base/release/in-force.ts';
import type { Release } from '#base/release/release.ts';
import type { PluginFactory } from './plugin.ts';
import { alwaysAdmit } from './plugins/always-admit.ts';
import { alwaysDeny } from './plugins/always-deny.ts';
import { alwaysPullImages } from './plugins/always-pull-images.ts';
import { certificateApproval } from './plugins/certificate-approval.ts';
import { certificateSigning } from './plugins/certificate-signing.ts';
import { certificateSubjectRestriction } from './plugins/certificate-subject-restriction.ts';
import { defaultIngressClass } from './plugins/default-ingress-class.ts';
import { defaultStorageClass } from './plugins/default-storage-class.ts';
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.ts';
import { denyServiceExternalIps } from './plugins/deny-service-external-ips.ts';
import { eventRateLimit } from './plugins/event-rate-limit.ts';
import { extendedResourceToleration } from './plugins/extended-resource-toleration.ts';
import { imagePolicyWebhook } from './plugins/image-policy-webhook.ts';
import { limitPodHardAntiAffinityTopology } from './plugins/limit-pod-hard-anti-affinity-topology.ts';
import { limitRanger } from './plugins/limit-ranger.ts';
import { mutatingAdmissionPolicy } from './plugins/mutating-admission-policy.ts';
import { mutatingWebhook } from './plugins/mutating-webhook.ts';
import { namespaceAutoProvision } from './plugins/namespace-auto-provision.ts';
import { namespaceExists } from './plugins/namespace-exists.ts';
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts';
import { nodeRestriction } from './plugins/node-restriction.ts';
import { ownerReferencesPermissionEnforcement } from './plugins/owner-references-permission-enforcement.ts';
import { persistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.ts';
import { persistentVolumeLabel } from './plugins/persistent-volume-label.ts';
import { podNodeSelector } from './plugins/pod-node-selector.ts';
import { podSecurity } from './plugins/pod-security.ts';
import { podTolerationRestriction } from './plugins/pod-toleration-restriction.ts';
import { priority } from './plugins/priority.ts';
import { resourceQuota } from './plugins/resource-quota.ts';
import { runtimeClass } from './plugins/runtime-class.ts';
import { securityContextDeny } from './plugins/security-context-deny.ts';
import { serviceAccount } from './plugins/service-account.ts';
import { storageObjectInUseProtection } from './plugins/storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './plugins/taint-nodes-by-condition.ts';
import { validatingAdmissionPolicy } from './plugins/validating-admission-policy.ts';
import { validatingWebhook } from './plugins/validating-webhook.ts';

export interface PluginEntry {
  readonly name: string;
  /** Whether the plug-in is on by default. */
  readonly byDefault?: true;
  /** Creates the plug-in. It is absent if another part of the server provides the plug-in. */
  readonly make?: PluginFactory;
}

/**
 * All built-in plug-ins, in the order in which they run. Flags choose among them, but do not change the order. Webhooks
 * get an object after all other changes. Quotas are charged only for objects that webhooks accept.
 */
const pluginTable: readonly Entry<PluginEntry>[] = [
  { name: 'AlwaysAdmit', make: alwaysAdmit },
  { name: 'NamespaceAutoProvision', make: namespaceAutoProvision },
  { name: 'NamespaceLifecycle', byDefault: true, make: namespaceLifecycle },
  { name: 'NamespaceExists', make: namespaceExists },
  { name: 'SecurityContextDeny', make: securityContextDeny },
  { name: 'LimitPodHardAntiAffinityTopology', make: limitPodHardAntiAffinityTopology },
  { name: 'LimitRanger', byDefault: true, make: limitRanger },
  { name: 'ServiceAccount', byDefault: true, make: serviceAccount },
  { name: 'NodeRestriction', make: nodeRestriction },
  { name: 'TaintNodesByCondition', byDefault: true, make: taintNodesByCondition },
  { name: 'AlwaysPullImages', make: alwaysPullImages },
  { name: 'ImagePolicyWebhook', make: imagePolicyWebhook },
  { name: 'PodSecurity', byDefault: true, make: podSecurity },
  { name: 'PodNodeSelector', make: podNodeSelector },
  { name: 'Priority', byDefault: true, make: priority },
  { name: 'DefaultTolerationSeconds', byDefault: true, make: defaultTolerationSeconds },
  { name: 'PodTolerationRestriction', make: podTolerationRestriction },
  { name: 'EventRateLimit', make: eventRateLimit },
  { name: 'ExtendedResourceToleration', make: extendedResourceToleration },
  { name: 'PersistentVolumeLabel', make: persistentVolumeLabel },
  { name: 'DefaultStorageClass', byDefault: true, make: defaultStorageClass },
  { name: 'StorageObjectInUseProtection', byDefault: true, make: storageObjectInUseProtection },
  { name: 'OwnerReferencesPermissionEnforcement', make: ownerReferencesPermissionEnforcement },
  { name: 'PersistentVolumeClaimResize', byDefault: true, make: persistentVolumeClaimResize },
  { name: 'RuntimeClass', byDefault: true, make: runtimeClass },
  { name: 'CertificateApproval', byDefault: true, make: certificateApproval },
  { name: 'CertificateSigning', byDefault: true, make: certificateSigning },
  { name: 'CertificateSubjectRestriction', byDefault: true, make: certificateSubjectRestriction },
  { name: 'DefaultIngressClass', byDefault: true, make: defaultIngressClass },
  { name: 'DenyServiceExternalIPs', make: denyServiceExternalIps },
  since('1.36', { name: 'MutatingAdmissionPolicy', byDefault: true, make: mutatingAdmissionPolicy }),
  { name: 'MutatingAdmissionWebhook', byDefault: true, make: mutatingWebhook },
  since('1.30', { name: 'ValidatingAdmissionPolicy', byDefault: true, make: validatingAdmissionPolicy }),
  { name: 'ValidatingAdmissionWebhook', byDefault: true, make: validatingWebhook },
  { name: 'ResourceQuota', byDefault: true, make: resourceQuota },
  { name: 'AlwaysDeny', make: alwaysDeny },
];

/** The built-in plug-ins that a release has, in their order. */
export function pluginsOf(release: Release): readonly PluginEntry[] {
  return inForce(release, pluginTable);
}
