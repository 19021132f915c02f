import type { PodTemplate } from '../../generated/core.v1.ts';
import type { KindVersions } from '../version-rules.ts';
import { defaultPodTemplate } from './default-pod-template.ts';

/** The defaults of pod templates in each version. */
export const podTemplateVersions = {
  v1: {
    defaults(object, context) {
      const own = object as PodTemplate;
      own.template ??= {};
      defaultPodTemplate(own.template, context);
    },
  },
} satisfies KindVersions;
