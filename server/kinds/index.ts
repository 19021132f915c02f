import { storageId } from '../registry/registry.ts';
import type { KindRules } from '../registry/resource-definition.ts';
import type { ServiceRanges } from './allocation/service-ranges.ts';
import { controllerRevision } from './apps/controller-revision.ts';
import { daemonSet } from './apps/daemon-set.ts';
import { deployment } from './apps/deployment.ts';
import { replicaSet } from './apps/replica-set.ts';
import { statefulSet } from './apps/stateful-set.ts';
import { cronJob } from './batch/cron-job.ts';
import { job } from './batch/job.ts';
import { endpoints } from './core/endpoints.ts';
import { namespace } from './core/namespace.ts';
import { pod } from './core/pod.ts';
import { podTemplate } from './core/pod-template.ts';
import { replicationController } from './core/replication-controller.ts';
import { createServiceRules } from './core/service.ts';
import { endpointSlice } from './discovery/endpoint-slice.ts';
import { clusterCidr } from './networking/cluster-cidr.ts';
import { ingress } from './networking/ingress.ts';
import { ingressClass } from './networking/ingress-class.ts';
import { networkPolicy } from './networking/network-policy.ts';
import { podDisruptionBudget } from './policy/pod-disruption-budget.ts';

/** What the rules of some kinds need to know of the server. */
export interface KindOptions {
  readonly serviceRanges: ServiceRanges;
}

/** Rules of every kind that has any, by storage identity. */
export function kindRules(options: KindOptions): ReadonlyMap<string, KindRules> {
  const all: readonly KindRules[] = [
    namespace as KindRules,
    pod as KindRules,
    podTemplate as KindRules,
    createServiceRules(options.serviceRanges) as KindRules,
    endpoints as KindRules,
    endpointSlice as KindRules,
    ingress as KindRules,
    ingressClass as KindRules,
    networkPolicy as KindRules,
    clusterCidr as KindRules,
    replicationController as KindRules,
    controllerRevision as KindRules,
    daemonSet as KindRules,
    deployment as KindRules,
    replicaSet as KindRules,
    statefulSet as KindRules,
    cronJob as KindRules,
    job as KindRules,
    podDisruptionBudget as KindRules,
  ];
  return new Map(all.map((rules) => [storageId(rules.group, rules.plural), rules]));
}
