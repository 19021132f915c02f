import type { PriorityClass } from '../../generated/scheduling.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** The defaults of priority classes in each version. */
export const priorityClassVersions = {
  v1: {
    defaults(object) {
      (object as PriorityClass).preemptionPolicy ??= 'PreemptLowerPriority';
    },
  },
} satisfies KindVersions;
