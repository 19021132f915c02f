import { FieldPath } from '#base/errors/field-error.ts';
import type { PodTemplate } from '#schema/generated/core.v1.ts';
import { defineKind } from '../define-kind.ts';
import { containerCells, labelsText } from './pod-spec/container-cells.ts';
import {
  defaultPodTemplate,
  podTemplateWarnings,
  preparePodTemplate,
  validatePodTemplate,
} from './pod-spec/template.ts';

const TEMPLATE = new FieldPath('template');

/** A template of pods on its own, for controllers to take. */
export const podTemplate = defineKind('core/podtemplates', {
  versions: {
    v1: {
      defaults(object, context) {
        const own = object as PodTemplate;
        own.template ??= {};
        defaultPodTemplate(own.template, context);
      },
    },
  },
  prepareForCreate({ template }, context) {
    preparePodTemplate(template, undefined, context);
  },
  prepareForUpdate({ template }, old, context) {
    preparePodTemplate(template, old.template, context);
  },
  validate: ({ template }, context) => validatePodTemplate(template, TEMPLATE, context),
  validateUpdate: ({ template }, old, context) => validatePodTemplate(template, TEMPLATE, context, old.template),
  warnings: ({ template }, _old, context) => podTemplateWarnings(template, TEMPLATE, context),
  cells({ metadata, template }) {
    return [metadata.name ?? '', ...containerCells(template?.spec), labelsText(template?.metadata?.labels)];
  },
});
