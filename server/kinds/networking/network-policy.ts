import { FieldPath } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import { networkPolicyVersions } from '#schema/conversion/networking/network-policy.ts';
import type { NetworkPolicy, NetworkPolicySpec } from '#schema/generated/networking.v1.ts';
import { validateConditions } from '#schema/validation/conditions.ts';
import { age } from '#schema/validation/human-duration.ts';
import { selectorCell } from '../apps/workload-selector.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { validateNetworkPolicySpec } from './network-policy-spec.ts';

const NONE: NetworkPolicySpec = { podSelector: {} };
/**
 * While this gate is off, the status is a field like any other until it has conditions, and then can only be cleared.
 */
const STATUS_GATE = 'NetworkPolicyStatus';

function hasConditions({ status }: NetworkPolicy): boolean {
  return (status?.conditions ?? []).length > 0;
}

/**
 * Which traffic pods take and send. Which directions a policy is about follows from its rules where it does not say.
 */
export const networkPolicy = defineKind('networking/networkpolicies', {
  invalidGroup: 'extensions',
  takesStatus: (old, { gates }) => !gates.enabled(STATUS_GATE) && (old === undefined || !hasConditions(old)),
  revalidatesOnUpdate: true,
  versions: networkPolicyVersions,
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
