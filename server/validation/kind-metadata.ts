import type { FieldError } from '../errors/field-error.ts';
import type { Naming } from '../naming/naming.ts';
import type { ApiObject } from '../schema/api-object.ts';
import { standardFinalizers } from './finalizers.ts';
import { type NameCheck, subdomainName } from './names.ts';
import { validateObjectMeta } from './object-meta.ts';

/**
 * The errors of an object's metadata by its kind's rules. The registry reports them on create and, where a kind
 * revalidates, once on update; kinds that report everything more often than that do so themselves.
 */
export function validateKindMetadata(
  object: ApiObject,
  rules: { readonly namespaced: boolean; readonly validateName?: NameCheck },
  naming: Pick<Naming, 'product'>,
): FieldError[] {
  return validateObjectMeta(object.metadata, {
    namespaced: rules.namespaced,
    validateName: rules.validateName ?? subdomainName,
    standardFinalizers: standardFinalizers(naming),
  });
}
