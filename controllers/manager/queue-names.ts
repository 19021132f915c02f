/** Names of queues that common dashboards expect, if they differ from the names of their controllers. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['bootstrapsigner', 'bootstrap_signer_queue'],
  ['clusterrole-aggregation', 'ClusterRoleAggregator'],
  ['validatingadmissionpolicy-status-controller', 'validatingadmissionpolicy-status'],
  ['endpointslice', 'endpoint_slice'],
  ['endpointslicemirroring', 'endpoint_slice_mirroring'],
  ['garbagecollector', 'garbage_collector_attempt_to_delete'],
  ['horizontalpodautoscaling', 'horizontalpodautoscaler'],
  ['persistentvolume-binder', 'claims'],
  ['pv-protection', 'pvprotection'],
  ['pvc-protection', 'pvcprotection'],
  ['replicationcontroller', 'replicationmanager'],
  ['resourcequota', 'resourcequota_primary'],
  ['root-ca-cert-publisher', 'root_ca_cert_publisher'],
  ['tokencleaner', 'token_cleaner'],
  ['ttl', 'ttlcontroller'],
  ['ttl-after-finished', 'ttl_jobs_to_delete'],
]);

/** The name in metrics for the queue of a controller, or for the first of several queues. */
export function queueName(controller: string): string {
  return NAMES.get(controller) ?? controller;
}
