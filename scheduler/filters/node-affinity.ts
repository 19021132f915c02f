import { hasLabels } from '#client/label-selector.ts';
import { type Selectable, selectsNode } from '#client/node-selector.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { type Filter, refuseFinally } from './filter.ts';

/** Whether a pod's selector and affinity allow a node. */
export function allowsNode({ spec }: Pod, node: Selectable): boolean {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return hasLabels(spec?.nodeSelector, node.labels) && (required === undefined || selectsNode(required, node));
}

/** Nodes that a pod's selector or affinity leaves out. */
export const nodeAffinity: Filter = {
  name: 'NodeAffinity',
  prepare({ pod }) {
    const { nodeSelector, affinity } = pod.spec ?? {};
    const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (nodeSelector === undefined && required === undefined) return undefined;
    return (node) =>
      allowsNode(pod, node) ? undefined : refuseFinally("node(s) didn't match Pod's node affinity/selector");
  },
};
