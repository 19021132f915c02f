import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import type { DaemonSet, ReplicaSet } from '#schema/generated/apps.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { validateSelectorKept } from './workload-selector.ts';

const SELECTOR = new FieldPath('spec').child('selector');

/**
 * Validates an update of a daemon set or a replica set. Like the field's server, it reports each error of the spec
 * twice, and then the error of a changed selector.
 *
 * @param validateSpec returns the errors of the spec; its second argument is the template before the update
 */
export function validateTwiceOnUpdate<T extends DaemonSet | ReplicaSet>(
  validateSpec: (object: T, old: PodTemplateSpec | undefined, context: WriteContext) => FieldError[],
): (object: T, old: T, context: WriteContext) => FieldError[] {
  return (object, old, context) => {
    const wrong = validateSpec(object, old.spec?.template, context);
    return [
      ...validateKindMetadata(object, { namespaced: true }, context.naming),
      ...wrong,
      ...wrong,
      ...validateSelectorKept(object.spec?.selector, old.spec?.selector, SELECTOR),
    ];
  };
}
