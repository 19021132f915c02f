/** Names of queues in common dashboards, where they differ from the names of the controllers. */
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

/** The name in metrics of the queue of a controller. If there are several queues, it is the name of the first. */
export function queueName(controller: string): string {
  return NAMES.get(controller) ?? controller;
}
