import type { FieldError } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { standardFinalizers } from './finalizers.ts';
import { type NameCheck, subdomainName } from './names.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

/**
 * The errors of an object's metadata by its kind's rules. The registry reports them on create and, where a kind
 * revalidates, once on update; kinds that report everything more often than that do so themselves.
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
 * The errors of a change of an object's metadata by its kind's rules, for kinds that report them in a place of their
 * own.
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
