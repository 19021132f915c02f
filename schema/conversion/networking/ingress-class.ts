import type { IngressClass } from '../../generated/networking.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** The defaults of ingress classes in each version. */
export const ingressClassVersions = {
  v1: {
    defaults(object) {
      const { parameters } = (object as IngressClass).spec ?? {};
      if (parameters !== undefined) parameters.scope ??= 'Cluster';
    },
  },
} satisfies KindVersions;
