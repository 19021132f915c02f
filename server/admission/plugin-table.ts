import type { PluginFactory } from './plugin.ts';
import { certificateApproval } from './plugins/certificate-approval.ts';
import { certificateSigning } from './plugins/certificate-signing.ts';
import { certificateSubjectRestriction } from './plugins/certificate-subject-restriction.ts';
import { defaultIngressClass } from './plugins/default-ingress-class.ts';
import { defaultStorageClass } from './plugins/default-storage-class.ts';
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.ts';
import { limitRanger } from './plugins/limit-ranger.ts';
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts';
import { persistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.ts';
import { podSecurity } from './plugins/pod-security.ts';
import { priority } from './plugins/priority.ts';
import { resourceQuota } from './plugins/resource-quota.ts';
import { runtimeClass } from './plugins/runtime-class.ts';
import { serviceAccount } from './plugins/service-account.ts';
import { storageObjectInUseProtection } from './plugins/storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './plugins/taint-nodes-by-condition.ts';

export interface PluginEntry {
  readonly name: string;
  /** On unless disabled. */
  readonly byDefault?: true;
  /** Absent for what another part of the server brings. */
  readonly make?: PluginFactory;
}

/** Every built-in plug-in, in the order in which they run. Flags choose among them but never reorder them. */
export const pluginTable: readonly PluginEntry[] = [
  { name: 'NamespaceLifecycle', byDefault: true, make: namespaceLifecycle },
  { name: 'LimitRanger', byDefault: true, make: limitRanger },
  { name: 'ServiceAccount', byDefault: true, make: serviceAccount },
  { name: 'TaintNodesByCondition', byDefault: true, make: taintNodesByCondition },
  { name: 'PodSecurity', byDefault: true, make: podSecurity },
  { name: 'Priority', byDefault: true, make: priority },
  { name: 'DefaultTolerationSeconds', byDefault: true, make: defaultTolerationSeconds },
  { name: 'DefaultStorageClass', byDefault: true, make: defaultStorageClass },
  { name: 'StorageObjectInUseProtection', byDefault: true, make: storageObjectInUseProtection },
  { name: 'PersistentVolumeClaimResize', byDefault: true, make: persistentVolumeClaimResize },
  { name: 'RuntimeClass', byDefault: true, make: runtimeClass },
  { name: 'CertificateApproval', byDefault: true, make: certificateApproval },
  { name: 'CertificateSigning', byDefault: true, make: certificateSigning },
  { name: 'CertificateSubjectRestriction', byDefault: true, make: certificateSubjectRestriction },
  { name: 'DefaultIngressClass', byDefault: true, make: defaultIngressClass },
  { name: 'MutatingAdmissionWebhook', byDefault: true },
  { name: 'ValidatingAdmissionWebhook', byDefault: true },
  { name: 'ResourceQuota', byDefault: true, make: resourceQuota },
];
