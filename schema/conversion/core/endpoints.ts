import type { Endpoints } from '../../generated/core.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** What is filled in of endpoints, in each of their versions. */
export const endpointsVersions = {
  v1: {
    defaults(object) {
      for (const subset of (object as Endpoints).subsets ?? []) {
        for (const port of subset.ports ?? []) port.protocol ||= 'TCP';
      }
    },
  },
} satisfies KindVersions;
