import type { APIService } from '../../generated/apiregistration.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** What is filled in of API services, in each of their versions. */
export const apiServiceVersions = {
  v1: {
    defaults(object) {
      const { service } = (object as APIService).spec ?? {};
      if (service !== undefined) service.port ??= 443;
    },
  },
} satisfies KindVersions;
