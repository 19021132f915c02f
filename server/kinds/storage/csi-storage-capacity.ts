import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { CSIStorageCapacity } from '#schema/generated/storage.v1.ts';
import { labelSelectorWarnings } from '#schema/validation/deprecated-labels.ts';
import { IMMUTABLE, semanticallyEqual, validateImmutable } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { dns1123Subdomain } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import { validateNonnegativeQuantity } from '#schema/validation/resources.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';

const TOPOLOGY = new FieldPath('nodeTopology');
const CLASS = new FieldPath('storageClassName');

function validate(object: CSIStorageCapacity, { naming }: WriteContext): FieldError[] {
  const { capacity } = object;
  return [
    ...validateKindMetadata(object, { namespaced: true }, naming),
    ...validateLabelSelector(object.nodeTopology, TOPOLOGY),
    ...validateText(object.storageClassName, dns1123Subdomain, CLASS),
    ...(capacity === undefined ? [] : validateNonnegativeQuantity(capacity, new FieldPath('capacity'))),
  ];
}

/** Whether two topologies are equal. A selector of no nodes differs from one of all nodes. */
function sameTopology(a: CSIStorageCapacity['nodeTopology'], b: CSIStorageCapacity['nodeTopology']): boolean {
  return (a === undefined) === (b === undefined) && semanticallyEqual(a, b);
}

/**
 * The kind of records of free storage: how much storage of a class a set of nodes can use. New objects are checked
 * twice, because clients see it so.
 */
export const csiStorageCapacity = defineKind('storage/csistoragecapacities', {
  validatesOwnMetadata: true,
  validate: (object, context) => [...validate(object, context), ...validate(object, context)],
  warnings: (object, _old, { naming }) => labelSelectorWarnings(object.nodeTopology, TOPOLOGY, naming),
  validateUpdate: (object, old, context) => [
    ...validate(object, context),
    ...(sameTopology(object.nodeTopology, old.nodeTopology)
      ? []
      : [invalidValue(TOPOLOGY, object.nodeTopology ?? null, IMMUTABLE)]),
    ...validateImmutable(object.storageClassName, old.storageClassName, CLASS),
  ],
});
