import { bootstrapSignerController } from './bootstrap-signer/bootstrap-signer-controller.ts';
import { approvingController } from './certificates/approving-controller.ts';
import { cleanerController } from './certificates/cleaner-controller.ts';
import { signingController } from './certificates/signing-controller.ts';
import type { Controller } from './controller.ts';
import { cronJobController } from './cron-job/cron-job-controller.ts';
import { daemonSetController } from './daemon-set/daemon-set-controller.ts';
import { deploymentController } from './deployment/deployment-controller.ts';
import { disruptionController } from './disruption/disruption-controller.ts';
import { endpointSliceMirroringController } from './endpoints/endpoint-slice-mirroring-controller.ts';
import { endpointSlicesController } from './endpoints/endpoint-slices-controller.ts';
import { endpointsController } from './endpoints/endpoints-controller.ts';
import { garbageCollector } from './garbage-collector/garbage-collector-controller.ts';
import { horizontalAutoscalerController } from './horizontal-autoscaler/horizontal-autoscaler-controller.ts';
import { jobController } from './job/job-controller.ts';
import { namespaceController } from './namespace/namespace-controller.ts';
import { nodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.ts';
import { podGarbageCollector } from './pod-garbage-collector/pod-garbage-collector-controller.ts';
import { policyStatusController } from './policy-status/policy-status-controller.ts';
import { pvProtectionController } from './pv-protection/pv-protection-controller.ts';
import { pvcProtectionController } from './pvc-protection/pvc-protection-controller.ts';
import { replicaSetController } from './replica-set/replica-set-controller.ts';
import { replicationController } from './replication-controller/replication-controller.ts';
import { resourceQuotaController } from './resource-quota/resource-quota-controller.ts';
import { roleAggregationController } from './role-aggregation/role-aggregation-controller.ts';
import { rootCaController } from './root-ca/root-ca-controller.ts';
import { serviceAccountController } from './service-account/service-account-controller.ts';
import { serviceAccountTokenController } from './service-account-token/service-account-token-controller.ts';
import { serviceCidrController } from './service-cidr/service-cidr-controller.ts';
import { statefulSetController } from './stateful-set/stateful-set-controller.ts';
import { taintEvictionController } from './taint-eviction/taint-eviction-controller.ts';
import { tokenCleanerController } from './token-cleaner/token-cleaner-controller.ts';
import { ttlController } from './ttl/ttl-controller.ts';
import { ttlAfterFinishedController } from './ttl-after-finished/ttl-after-finished-controller.ts';
import { volumeBinderController } from './volume-binder/volume-binder-controller.ts';

/** All controllers, in the order in which they start. */
export const controllers: readonly Controller[] = [
  namespaceController,
  garbageCollector,
  resourceQuotaController,
  serviceAccountController,
  serviceAccountTokenController,
  volumeBinderController,
  pvProtectionController,
  pvcProtectionController,
  ttlController,
  ttlAfterFinishedController,
  tokenCleanerController,
  bootstrapSignerController,
  rootCaController,
  roleAggregationController,
  approvingController,
  signingController,
  cleanerController,
  disruptionController,
  endpointsController,
  endpointSlicesController,
  endpointSliceMirroringController,
  serviceCidrController,
  deploymentController,
  replicaSetController,
  replicationController,
  jobController,
  statefulSetController,
  daemonSetController,
  cronJobController,
  podGarbageCollector,
  nodeLifecycleController,
  taintEvictionController,
  horizontalAutoscalerController,
  policyStatusController,
];
