import { FieldPath } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { Release } from '#base/release/release.ts';
import { networkPolicyVersions } from '#schema/conversion/networking/network-policy.ts';
import type { NetworkPolicy, NetworkPolicySpec } from '#schema/generated/networking.v1.ts';
import { validateConditions } from '#schema/validation/conditions.ts';
import { age } from '#schema/validation/human-duration.ts';
import type { KindRules, SubresourceRules, WriteContext } from '../../api/resource-definition.ts';
import { selectorCell } from '../apps/workload-selector.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { policyRanges, rangeWarnings, validateNetworkPolicySpec } from './network-policy-spec.ts';
import { outerGroup } from './outer-group.ts';
import { STRICT_SPELLING } from './strict-spelling.ts';

const NONE: NetworkPolicySpec = { podSelector: {} };
/**
 * While this gate is off, the status is an ordinary field until it has conditions. From then on it can only be cleared.
 */
const STATUS_GATE = 'NetworkPolicyStatus';

function hasConditions({ status }: NetworkPolicy): boolean {
  return (status?.conditions ?? []).length > 0;
}

const status: SubresourceRules<NetworkPolicy> = {
  ignoresMetadataChange: true,
  prepareForUpdate(object, old, { gates }) {
    keepSpec(object, old);
    if (gates.enabled(STATUS_GATE)) return;
    object.status = hasConditions(object) ? cloneJson(old.status ?? {}) : {};
  },
  validateUpdate: ({ status }, _old, { release }) =>
    validateConditions(status?.conditions, new FieldPath('status').child('conditions'), release),
};

/**
 * The kind of network policies: which traffic pods accept and send. If a policy does not name its directions, they
 * follow from its rules.
 */
export const createNetworkPolicyRules = (release: Release): KindRules<NetworkPolicy> => {
  const check = ({ spec = NONE }: NetworkPolicy, old: NetworkPolicy | undefined, { gates }: WriteContext) =>
    validateNetworkPolicySpec(spec, {
      strict: gates.enabled(STRICT_SPELLING),
      kept: new Set(old?.spec === undefined ? [] : policyRanges(old.spec).map(({ text }) => text)),
      showsEndPort: release.atLeast(37),
    });
  return defineKind('networking/networkpolicies', {
    ...outerGroup(release),
    takesStatus: (old, { gates }) => !gates.enabled(STATUS_GATE) && (old === undefined || !hasConditions(old)),
    revalidatesOnUpdate: true,
    versions: networkPolicyVersions,
    validate: (object, context, old) => check(object, old, context),
    validateUpdate: (object, old, context) => check(object, old, context),
    ...(release.atLeast(33) && { warnings: ({ spec = NONE }: NetworkPolicy) => rangeWarnings(spec) }),
    ...(!release.atLeast(28) && { subresources: { status } }),
    cells: (object, { now }) => [
      object.metadata.name ?? '',
      selectorCell(object.spec?.podSelector),
      age(object.metadata.creationTimestamp, now),
    ],
  });
};
