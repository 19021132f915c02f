import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { DeviceClass } from '#schema/generated/resource.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { validateConfigurations, validateSelectors } from './device-parts.ts';

const SPEC = new FieldPath('spec');

/** Validates a resource name. It must have a domain, because names without one belong to the system. */
function validateResourceName(name: string, path: FieldPath): FieldError[] {
  const detail = "a name must be a domain-prefixed path, such as 'example.com/my-prop'";
  return name.includes('/') ? validateText(name, qualifiedName, path) : [invalidValue(path, name, detail)];
}

function validate({ spec = {} }: DeviceClass, { release }: WriteContext, old?: DeviceClass): FieldError[] {
  const { extendedResourceName: name } = spec;
  const stored = new Set((old?.spec?.selectors ?? []).flatMap(({ cel }) => cel?.expression ?? []));
  return [
    ...validateSelectors(spec.selectors, SPEC.child('selectors'), release, stored),
    ...validateConfigurations(spec.config, undefined, SPEC.child('config')),
    ...(name === undefined ? [] : validateResourceName(name, SPEC.child('extendedResourceName'))),
  ];
}

/** The kind of device classes, which claims name in their requests. */
export const deviceClass = defineKind('resource/deviceclasses', {
  validate: (object, context) => validate(object, context),
  validateUpdate: (object, old, context) => validate(object, context, old),
  cells: ({ metadata }, { now }) => [metadata.name ?? '', age(metadata.creationTimestamp, now)],
});
