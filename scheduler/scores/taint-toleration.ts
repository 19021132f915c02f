import { tolerates } from '../state/tolerations.ts';
import { lowestIsBest, type Score } from './score.ts';

/** Prefers nodes with few taints that the pod does not tolerate and that only discourage pods. */
export const preferredTaints: Score = {
  name: 'TaintToleration',
  weight: 3,
  prepare: ({ pod }) => {
    const tolerations = (pod.spec?.tolerations ?? []).filter(
      ({ effect = '' }) => effect === '' || effect === 'PreferNoSchedule',
    );
    return {
      of: ({ taints }) =>
        taints.filter(
          (taint) =>
            taint.effect === 'PreferNoSchedule' && !tolerations.some((toleration) => tolerates(toleration, taint)),
        ).length,
      level: lowestIsBest,
    };
  },
};
