import { FieldPath } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { NetworkPolicy, NetworkPolicySpec } from '#schema/generated/networking.v1.ts';
import { validateConditions } from '#schema/validation/conditions.ts';
import { age } from '#schema/validation/human-duration.ts';
import { selectorCell } from '../apps/workload-selector.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { validateNetworkPolicySpec } from './network-policy-spec.ts';

const NONE: NetworkPolicySpec = { podSelector: {} };
/** While this gate is off, the status is a field like any other until it has conditions, and then can only be cleared. */
const STATUS_GATE = 'NetworkPolicyStatus';

function hasConditions({ status }: NetworkPolicy): boolean {
  return (status?.conditions ?? []).length > 0;
}

/** Which traffic pods take and send. Which directions a policy is about follows from its rules where it does not say. */
export const networkPolicy = defineKind('networking/networkpolicies', {
  invalidGroup: 'extensions',
  takesStatus: (old, { gates }) => !gates.enabled(STATUS_GATE) && (old === undefined || !hasConditions(old)),
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
  subresources: {
    status: {
      ignoresMetadataChange: true,
      prepareForUpdate(object, old, { gates }) {
        keepSpec(object, old);
        if (gates.enabled(STATUS_GATE)) return;
        object.status = hasConditions(object) ? cloneJson(old.status ?? {}) : {};
      },
      validateUpdate: ({ status }) =>
        validateConditions(status?.conditions, new FieldPath('status').child('conditions')),
    },
  },
  cells: (object, { now }) => [
    object.metadata.name ?? '',
    selectorCell(object.spec?.podSelector),
    age(object.metadata.creationTimestamp, now),
  ],
});
