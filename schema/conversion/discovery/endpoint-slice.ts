import type { EndpointSlice } from '../../generated/discovery.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** The defaults of endpoint slices in each version. */
export const endpointSliceVersions = {
  v1: {
    defaults(object) {
      for (const port of (object as EndpointSlice).ports ?? []) {
        port.name ??= '';
        port.protocol ??= 'TCP';
      }
    },
  },
} satisfies KindVersions;
