import type { KindVersions } from '../version-rules.ts';
import { defaultV1, fromV1, toV1 } from './convert-v1.ts';
import { defaults } from './defaults.ts';

/** The versions of horizontal pod autoscalers: the defaults of each, and the conversions between them. */
export const horizontalPodAutoscalerVersions = {
  v1: { defaults: defaultV1, toStorage: fromV1, fromStorage: toV1 },
  v2: { defaults },
  // It has the same fields as v2, but some of them are written when they are empty.
  v2beta2: { defaults, fromStorage: (object) => object },
} satisfies KindVersions;
