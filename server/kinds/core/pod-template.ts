import { FieldPath } from '#base/errors/field-error.ts';
import { podTemplateVersions } from '#schema/conversion/core/pod-template.ts';
import { defineKind } from '../define-kind.ts';
import { containerCells, labelsText } from './pod-spec/container-cells.ts';
import { podTemplateWarnings, preparePodTemplate, validatePodTemplate } from './pod-spec/template.ts';

const TEMPLATE = new FieldPath('template');

/** The kind of pod templates that are separate objects. Controllers can use them. */
export const podTemplate = defineKind('core/podtemplates', {
  versions: podTemplateVersions,
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
