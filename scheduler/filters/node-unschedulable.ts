import { tolerates } from '../state/tolerations.ts';
import { type Filter, refuseFinally } from './filter.ts';

/** Refuses nodes that are closed to new pods, unless the pod tolerates this. */
export const nodeUnschedulable: Filter = {
  name: 'NodeUnschedulable',
  prepare({ pod }, view) {
    const taint = { key: view.key('node/unschedulable'), effect: 'NoSchedule' };
    if ((pod.spec?.tolerations ?? []).some((toleration) => tolerates(toleration, taint))) return undefined;
    return ({ node }) => (node.spec?.unschedulable === true ? refuseFinally('node(s) were unschedulable') : undefined);
  },
};
