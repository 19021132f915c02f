import { untolerated } from '../state/tolerations.ts';
import { type Filter, refuseFinally } from './filter.ts';

const EFFECTS = ['NoSchedule', 'NoExecute'];

/** Refuses nodes with taints that the pod does not tolerate. */
export const taintToleration: Filter = {
  name: 'TaintToleration',
  prepare:
    ({ pod }) =>
    ({ taints }) => {
      const taint = untolerated(taints, pod.spec?.tolerations, EFFECTS);
      if (taint === undefined) return undefined;
      return refuseFinally(`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`);
    },
};
