import { storageId } from '../registry/registry.ts';
import type { KindRules } from '../registry/resource-definition.ts';
import type { ServiceRanges } from './allocation/service-ranges.ts';
import { endpoints } from './core/endpoints.ts';
import { namespace } from './core/namespace.ts';
import { pod } from './core/pod.ts';
import { podTemplate } from './core/pod-template.ts';
import { createServiceRules } from './core/service.ts';
import { endpointSlice } from './discovery/endpoint-slice.ts';
import { clusterCidr } from './networking/cluster-cidr.ts';
import { ingress } from './networking/ingress.ts';
import { ingressClass } from './networking/ingress-class.ts';
import { networkPolicy } from './networking/network-policy.ts';

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
  ];
  return new Map(all.map((rules) => [storageId(rules.group, rules.plural), rules]));
}
