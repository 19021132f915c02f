import type { KindRules } from '../../registry/resource-definition.ts';
import type { NetworkPolicy, NetworkPolicySpec } from '../../schema/generated/networking.v1.ts';
import { age } from '../common/human-duration.ts';
import { labelSelectorText } from '../common/label-selector.ts';
import { validateNetworkPolicySpec } from './network-policy-spec.ts';

const NONE: NetworkPolicySpec = { podSelector: {} };

/** Which traffic pods take and send. Which directions a policy is about follows from its rules where it does not say. */
export const networkPolicy: KindRules<NetworkPolicy> = {
  group: 'networking',
  plural: 'networkpolicies',
  invalidGroup: 'extensions',
  keepsStatusOnCreate: true,
  revalidatesOnUpdate: true,
  versions: {
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
  },
  validate: (object) => validateNetworkPolicySpec(object.spec ?? NONE),
  validateUpdate: (object) => validateNetworkPolicySpec(object.spec ?? NONE),
  cells: (object, { now }) => [
    object.metadata.name ?? '',
    labelSelectorText(object.spec?.podSelector) || '<none>',
    age(object.metadata.creationTimestamp, now),
  ],
};
