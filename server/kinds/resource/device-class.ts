import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import type { DeviceClass } from '#schema/generated/resource.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import { defineKind } from '../define-kind.ts';
import { validateConfigurations, validateSelectors } from './device-parts.ts';

const SPEC = new FieldPath('spec');

function validate({ spec = {} }: DeviceClass): FieldError[] {
  const { extendedResourceName: name } = spec;
  return [
    ...validateSelectors(spec.selectors, SPEC.child('selectors')),
    ...validateConfigurations(spec.config, undefined, SPEC.child('config')),
    ...(name === undefined ? [] : validateText(name, qualifiedName, SPEC.child('extendedResourceName'))),
  ];
}

/** A kind of devices that claims may ask for. */
export const deviceClass = defineKind('resource/deviceclasses', {
  validate,
  validateUpdate: validate,
  cells: ({ metadata }, { now }) => [metadata.name ?? '', age(metadata.creationTimestamp, now)],
});
