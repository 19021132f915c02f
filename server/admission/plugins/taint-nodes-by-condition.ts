import type { Node } from '#schema/generated/core.v1.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';

/** Taints a new node, so that it gets no pods until it is known to be ready. */
export function taintNodesByCondition({ naming }: PluginEnvironment): AdmissionPlugin {
  const key = naming.key('node/not-ready');
  const effect = 'NoSchedule';
  return {
    name: 'TaintNodesByCondition',
    handles: handling('', 'nodes', ['CREATE']),
    mutate(request) {
      const node = request.object as Node;
      const taints = node.spec?.taints ?? [];
      if (taints.some((taint) => taint.key === key && taint.effect === effect)) return;
      node.spec = { ...node.spec, taints: [...taints, { key, effect }] };
    },
  };
}
