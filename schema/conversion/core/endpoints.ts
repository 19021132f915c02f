import type { Endpoints } from '../../generated/core.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** The defaults of endpoints in each version. */
export const endpointsVersions = {
  v1: {
    defaults(object) {
      for (const subset of (object as Endpoints).subsets ?? []) {
        for (const port of subset.ports ?? []) port.protocol ||= 'TCP';
      }
    },
  },
} satisfies KindVersions;
