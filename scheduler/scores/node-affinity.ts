import { termSelects } from '#client/node-selector.ts';
import { highestIsBest, type Score } from './score.ts';

/** Prefers nodes that the preferred affinity of the pod names. */
export const preferredNodes: Score = {
  name: 'NodeAffinity',
  weight: 2,
  prepare({ pod }) {
    const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (terms.length === 0) return undefined;
    return {
      of: (node) =>
        terms.reduce((sum, { weight, preference }) => sum + (termSelects(preference, node) ? weight : 0), 0),
      level: highestIsBest,
    };
  },
};
