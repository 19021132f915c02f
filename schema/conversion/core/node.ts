import type { Node, NodeSpec } from '../../generated/core.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import { parseQuantity } from '../../values/quantity.ts';
import type { KindVersions } from '../version-rules.ts';

/** The single `podCIDR` and the first of `podCIDRs` must be equal. If they differ, the single one wins. */
function alignPodCidrs(spec: NodeSpec): void {
  const { podCIDR = '', podCIDRs = [] } = spec;
  if (podCIDR !== '' && podCIDRs[0] !== podCIDR) spec.podCIDRs = [podCIDR];
  else if (podCIDRs[0] !== undefined) spec.podCIDR = podCIDRs[0];
}

function defaults(object: ApiObject): void {
  const { spec, status } = object as Node;
  if (spec !== undefined) alignPodCidrs(spec);
  const capacity = status?.capacity;
  if (status === undefined || capacity === undefined || status.allocatable !== undefined) return;
  status.allocatable = Object.fromEntries(
    Object.entries(capacity).map(([name, amount]) => [name, parseQuantity(amount).roundUpToMilli().toString()]),
  );
}

/** The defaults of nodes in each version. */
export const nodeVersions = { v1: { defaults } } satisfies KindVersions;
