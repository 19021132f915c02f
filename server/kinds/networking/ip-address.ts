import { declared, type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { IPAddress, ParentReference } from '#schema/generated/networking.v1.ts';
import { fixedByRule, IMMUTABLE, semanticallyEqual } from '#schema/validation/immutable.ts';
import { canonicalIpText } from '#schema/validation/ip-names.ts';
import { dns1123Subdomain, pathSegmentName } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import { defineKind } from '../define-kind.ts';

const PARENT = new FieldPath('spec').child('parentRef');

function validateSegment(value: string | undefined, path: FieldPath): FieldError[] {
  return (value ?? '') === '' ? [] : validateText(value, pathSegmentName, path);
}

function validateParent(parent: ParentReference): FieldError[] {
  const { group = '', resource, name, namespace } = parent;
  return [
    ...(group === '' ? [] : validateText(group, dns1123Subdomain, PARENT.child('group'))),
    ...(resource === ''
      ? declared([required(PARENT.child('resource'))], 37)
      : validateSegment(resource, PARENT.child('resource'))),
    ...(name === '' ? declared([required(PARENT.child('name'))], 37) : validateSegment(name, PARENT.child('name'))),
    ...validateSegment(namespace, PARENT.child('namespace')),
  ];
}

function validate({ spec }: IPAddress): FieldError[] {
  return spec.parentRef === undefined || spec.parentRef === null
    ? declared([required(PARENT)], 37)
    : validateParent(spec.parentRef);
}

function parentText({ spec }: IPAddress): string {
  const { group = '', resource = '', namespace = '', name = '' } = spec.parentRef ?? {};
  return [resource + (group === '' ? '' : `.${group}`), namespace, name].filter((part) => part !== '').join('/');
}

/**
 * The kind of address objects. The name of the object is an address of a service, and it names the owner of the
 * address.
 */
export const ipAddress = defineKind('networking/ipaddresses', {
  validateName: canonicalIpText,
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...(semanticallyEqual(object.spec.parentRef, old.spec.parentRef)
      ? []
      : [fixedByRule(invalidValue(PARENT, object.spec.parentRef, IMMUTABLE))]),
  ],
  cells: (object) => [object.metadata.name ?? '', parentText(object)],
});
