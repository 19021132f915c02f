import { allowsNode } from '#client/node-selector.ts';
import { type Filter, refuseFinally } from './filter.ts';

/** Refuses nodes that the pod's selector or affinity excludes. */
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
