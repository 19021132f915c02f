import type { NetworkPolicy } from '../../generated/networking.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** The defaults of network policies in each version. */
export const networkPolicyVersions = {
  v1: {
    defaults(object) {
      const policy = object as NetworkPolicy;
      policy.spec ??= { podSelector: {} };
      const { spec } = policy;
      if ((spec.policyTypes ?? []).length === 0) {
        spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
      }
      for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
        for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
      }
    },
  },
} satisfies KindVersions;
