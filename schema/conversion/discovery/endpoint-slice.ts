import type { EndpointSlice } from '../../generated/discovery.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** What is filled in of endpoint slices, in each of their versions. */
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
