import { admissionPolicyBindingVersions, admissionPolicyVersions } from './admissionregistration/admission-policies.ts';
import { webhookConfigurationVersions } from './admissionregistration/webhook-configurations.ts';
import { apiServiceVersions } from './apiregistration/api-service.ts';
import { daemonSetVersions } from './apps/daemon-set.ts';
import { deploymentVersions } from './apps/deployment.ts';
import { replicaSetVersions } from './apps/replica-set.ts';
import { statefulSetVersions } from './apps/stateful-set.ts';
import { horizontalPodAutoscalerVersions } from './autoscaling/horizontal-pod-autoscaler.ts';
import { cronJobVersions } from './batch/cron-job.ts';
import { jobVersions } from './batch/job.ts';
import { endpointsVersions } from './core/endpoints.ts';
import { limitRangeVersions } from './core/limit-range.ts';
import { namespaceVersions } from './core/namespace.ts';
import { nodeVersions } from './core/node.ts';
import { persistentVolumeVersions } from './core/persistent-volume.ts';
import { persistentVolumeClaimVersions } from './core/persistent-volume-claim.ts';
import { podVersions } from './core/pod.ts';
import { podTemplateVersions } from './core/pod-template.ts';
import { replicationControllerVersions } from './core/replication-controller.ts';
import { secretVersions } from './core/secret.ts';
import { serviceVersions } from './core/service.ts';
import { endpointSliceVersions } from './discovery/endpoint-slice.ts';
import { eventVersions } from './events/event.ts';
import { flowSchemaVersions } from './flowcontrol/flow-schema.ts';
import { priorityLevelConfigurationVersions } from './flowcontrol/priority-level-configuration.ts';
import { ingressClassVersions } from './networking/ingress-class.ts';
import { networkPolicyVersions } from './networking/network-policy.ts';
import { podDisruptionBudgetVersions } from './policy/pod-disruption-budget.ts';
import { bindingVersions } from './rbac/bindings.ts';
import { resourceClaimTemplateVersions, resourceClaimVersions } from './resource/claims.ts';
import { priorityClassVersions } from './scheduling/priority-class.ts';
import { csiDriverVersions } from './storage/csi-driver.ts';
import { storageClassVersions } from './storage/storage-class.ts';
import { volumeAttachmentVersions } from './storage/volume-attachment.ts';
import type { KindVersions } from './version-rules.ts';

/**
 * The rules for the versions of stored kinds, by storage identity. A kind whose versions need no rules is absent.
 */
export const kindVersions: ReadonlyMap<string, KindVersions> = new Map<string, KindVersions>([
  ['admissionregistration/mutatingadmissionpolicies', admissionPolicyVersions],
  ['admissionregistration/mutatingadmissionpolicybindings', admissionPolicyBindingVersions],
  ['admissionregistration/mutatingwebhookconfigurations', webhookConfigurationVersions],
  ['admissionregistration/validatingadmissionpolicies', admissionPolicyVersions],
  ['admissionregistration/validatingadmissionpolicybindings', admissionPolicyBindingVersions],
  ['admissionregistration/validatingwebhookconfigurations', webhookConfigurationVersions],
  ['apiregistration/apiservices', apiServiceVersions],
  ['apps/daemonsets', daemonSetVersions],
  ['apps/deployments', deploymentVersions],
  ['apps/replicasets', replicaSetVersions],
  ['apps/statefulsets', statefulSetVersions],
  ['autoscaling/horizontalpodautoscalers', horizontalPodAutoscalerVersions],
  ['batch/cronjobs', cronJobVersions],
  ['batch/jobs', jobVersions],
  ['core/endpoints', endpointsVersions],
  ['core/limitranges', limitRangeVersions],
  ['core/namespaces', namespaceVersions],
  ['core/nodes', nodeVersions],
  ['core/persistentvolumes', persistentVolumeVersions],
  ['core/persistentvolumeclaims', persistentVolumeClaimVersions],
  ['core/pods', podVersions],
  ['core/podtemplates', podTemplateVersions],
  ['core/replicationcontrollers', replicationControllerVersions],
  ['core/secrets', secretVersions],
  ['core/services', serviceVersions],
  ['discovery/endpointslices', endpointSliceVersions],
  ['core/events', eventVersions],
  ['flowcontrol.apiserver/flowschemas', flowSchemaVersions],
  ['flowcontrol.apiserver/prioritylevelconfigurations', priorityLevelConfigurationVersions],
  ['networking/ingressclasses', ingressClassVersions],
  ['networking/networkpolicies', networkPolicyVersions],
  ['policy/poddisruptionbudgets', podDisruptionBudgetVersions],
  ['rbac.authorization/rolebindings', bindingVersions],
  ['rbac.authorization/clusterrolebindings', bindingVersions],
  ['resource/resourceclaims', resourceClaimVersions],
  ['resource/resourceclaimtemplates', resourceClaimTemplateVersions],
  ['scheduling/priorityclasses', priorityClassVersions],
  ['storage/csidrivers', csiDriverVersions],
  ['storage/storageclasses', storageClassVersions],
  ['storage/volumeattachments', volumeAttachmentVersions],
]);
