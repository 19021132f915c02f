import type { APIService } from '../../generated/apiregistration.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** The defaults of API services in each version. */
export const apiServiceVersions = {
  v1: {
    defaults(object) {
      const { service } = (object as APIService).spec ?? {};
      if (service !== undefined) service.port ??= 443;
    },
  },
} satisfies KindVersions;
