import type { PriorityClass } from '../../generated/scheduling.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** What is filled in of priority classes, in each of their versions. */
export const priorityClassVersions = {
  v1: {
    defaults(object) {
      (object as PriorityClass).preemptionPolicy ??= 'PreemptLowerPriority';
    },
  },
} satisfies KindVersions;
