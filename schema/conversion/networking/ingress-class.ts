import type { IngressClass } from '../../generated/networking.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** What is filled in of ingress classes, in each of their versions. */
export const ingressClassVersions = {
  v1: {
    defaults(object) {
      const { parameters } = (object as IngressClass).spec ?? {};
      if (parameters !== undefined) parameters.scope ??= 'Cluster';
    },
  },
} satisfies KindVersions;
