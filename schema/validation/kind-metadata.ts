import type { FieldError } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { standardFinalizers } from './finalizers.ts';
import { type NameCheck, subdomainName } from './names.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

/**
 * The errors of an object's metadata by the rules of its kind. The registry reports them at a create. If the kind
 * validates again, it also reports them once at an update. A kind that reports all errors more often calls this
 * function itself.
 *
 * @example validateKindMetadata(object, { namespaced: true, validateName: pathSegmentName }, naming)
 */
export function validateKindMetadata(
  object: ApiObject,
  rules: { readonly namespaced: boolean; readonly validateName?: NameCheck; readonly anyFinalizers?: boolean },
  naming: Pick<Naming, 'product'>,
): FieldError[] {
  return validateObjectMeta(object.metadata, {
    namespaced: rules.namespaced,
    validateName: rules.validateName ?? subdomainName,
    ...(rules.anyFinalizers !== true && { standardFinalizers: standardFinalizers(naming) }),
  });
}

/**
 * The errors of a change to an object's metadata by the rules of its kind. It is for kinds that report them at another
 * point than the registry.
 *
 * @example validateKindMetadataUpdate(object, stored, naming) // one error for a name that differs
 */
export function validateKindMetadataUpdate(
  object: ApiObject,
  old: ApiObject,
  naming: Pick<Naming, 'product'>,
): FieldError[] {
  return validateObjectMetaUpdate(object.metadata, old.metadata, { standardFinalizers: standardFinalizers(naming) });
}
