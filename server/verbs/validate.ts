import type { FieldError } from '#base/errors/field-error.ts';
import { inOrder, invalidValue, inWordsOf } from '#base/errors/field-error.ts';
import { firstErrors } from '#base/errors/first-errors.ts';
import { invalid, LONGEST_ERRORS, type StatusError } from '#base/errors/status-error.ts';
import type { Release } from '#base/release/release.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { standardFinalizers } from '#schema/validation/finalizers.ts';
import { pathSegmentName, subdomainName } from '#schema/validation/names.ts';
import { validateObjectMeta, validateObjectMetaUpdate, validateObjectNames } from '#schema/validation/object-meta.ts';
import { isPromise, type MaybePromise, whenReady } from '../api/maybe-promise.ts';
import type { SubresourceRules, WriteContext } from '../api/resource-definition.ts';
import type { ServedResource, StoredServedResource } from '../api/served-resource.ts';
import { subjectOf } from '../resources/registry.ts';

/** The largest number of characters of errors that are compared. Messages show fewer. */
const MOST_COMPARED = 16 * LONGEST_ERRORS;

/**
 * The errors, each once, because several rules may find the same error. After the limit of characters the rest is not
 * compared, because each of a hundred thousand errors may show a long list.
 */
function once(errors: readonly FieldError[]): FieldError[] {
  const seen = new Set<string | FieldError>();
  const kept: FieldError[] = [];
  let compared = 0;
  for (const error of errors) {
    if (seen.has(error)) continue;
    seen.add(error);
    if (compared < MOST_COMPARED) {
      compared += error.text.length;
      const id = `${error.type} ${error.text}`;
      if (seen.has(id)) continue;
      seen.add(id);
    }
    kept.push(error);
  }
  return kept;
}

/** Refuses an object with errors: a 422 with all of them. Since 1.37 it has each error once. */
export function refuse(
  served: StoredServedResource,
  object: ApiObject,
  errors: readonly FieldError[],
  { release }: WriteContext,
): void {
  const group = served.stored?.rules.invalidGroup ?? served.group;
  const found = inOrder(inWordsOf(errors, release), release);
  if (found.length === 0) return;
  throw invalid(
    { group, kind: served.type.kind },
    object.metadata.name ?? '',
    release.atLeast(37) ? once(found) : found,
  );
}

/** The finalizers without a domain that a kind accepts: all, or only those on which this server acts. */
function finalizerRules(
  served: StoredServedResource,
  { naming }: WriteContext,
): { readonly standardFinalizers?: readonly string[] } {
  if (served.isCustom === true || served.stored.rules.anyFinalizers === true) return {};
  return { standardFinalizers: standardFinalizers(naming) };
}

/**
 * Errors of the kind: the metadata by the kind's name rule, then the content by its schema and rules.
 */
function kindErrors(
  served: StoredServedResource,
  object: ApiObject,
  old: ApiObject | undefined,
  context: WriteContext,
): MaybePromise<FieldError[]> {
  const { namespaced, rules } = served.stored;
  if (rules.validatesOwnMetadata === true)
    return rules.validateInTurns?.(object, undefined, context) ?? rules.validate?.(object, context, old) ?? [];
  const meta = validateObjectMeta(object.metadata, {
    namespaced,
    validateName: (name, prefix) => (rules.validateName ?? subdomainName)(name, prefix, context),
    ...finalizerRules(served, context),
  });
  return whenReady(served.model.validate(object, old, context.warn), (errors) => [
    ...meta,
    ...errors,
    ...(rules.validate?.(object, context, old) ?? []),
  ]);
}

/** The metadata rules for all kinds. */
function anyKindErrors(served: StoredServedResource, object: ApiObject): FieldError[] {
  return validateObjectMeta(object.metadata, {
    namespaced: served.stored.namespaced,
    validateName: pathSegmentName,
  });
}

/**
 * Checks a new object.
 *
 * @throws StatusError (422) with every problem at its path
 */
export async function validateCreate(
  served: StoredServedResource,
  object: ApiObject,
  context: WriteContext,
): Promise<void> {
  const errors = firstErrors(() => kindErrors(served, object, undefined, context));
  refuse(served, object, isPromise(errors) ? await errors : errors, context);
  // At this point all fields except the names are valid.
  const looked = served.stored.rules.validatesOwnMetadata !== true;
  refuse(
    served,
    object,
    firstErrors(() => (looked ? validateObjectNames(object.metadata, pathSegmentName) : anyKindErrors(served, object))),
    context,
  );
}

/** The rules for changes of metadata for all kinds. */
function anyKindUpdateErrors(served: StoredServedResource, object: ApiObject, old: ApiObject): FieldError[] {
  return [...anyKindErrors(served, object), ...validateObjectMetaUpdate(object.metadata, old.metadata)];
}

/**
 * The metadata errors of an update, which every view of an object reports: first by the rules for all kinds, then by
 * the rules of the kind. A view (or, for the object itself, the kind) can leave out metadata.
 */
export function metadataUpdateErrors(
  served: StoredServedResource,
  object: ApiObject,
  old: ApiObject,
  context: WriteContext,
  { ignoresMetadataChange }: Pick<SubresourceRules, 'ignoresMetadataChange'> = {},
): FieldError[] {
  const errors = anyKindUpdateErrors(served, object, old);
  if (ignoresMetadataChange === true) return errors;
  return [...errors, ...validateObjectMetaUpdate(object.metadata, old.metadata, finalizerRules(served, context))];
}

/**
 * Errors of a change without those that only later releases find, if the stored object has such errors too: it was
 * stored before, and its owner must be able to change the rest.
 */
function withoutKnown(
  { stored: { rules } }: StoredServedResource,
  errors: readonly FieldError[],
  old: ApiObject,
  context: WriteContext,
): readonly FieldError[] {
  if (!errors.some(({ from }) => from !== undefined)) return errors;
  const before = rules.validateUpdate?.(old, old, context) ?? rules.validate?.(old, context, old) ?? [];
  const known = new Set(before.map(({ from }) => from));
  return errors.filter(({ from }) => from === undefined || !known.has(from));
}

/**
 * Validates a changed object. Metadata is checked by the rules for all kinds and again by the kind's rules. So its
 * errors are reported several times, which clients of releases before 1.37 expect.
 */
export async function validateUpdate(
  served: StoredServedResource,
  object: ApiObject,
  old: ApiObject,
  context: WriteContext,
): Promise<void> {
  const { rules } = served.stored;
  const found = firstErrors(() => served.model.validate(object, old, context.warn));
  const content = isPromise(found) ? await found : found;
  const own = firstErrors(
    () => rules.validateInTurns?.(object, old, context) ?? rules.validateUpdate?.(object, old, context) ?? [],
  );
  const again = rules.revalidatesOnUpdate === true ? firstErrors(() => kindErrors(served, object, old, context)) : [];
  const errors = [
    ...firstErrors(() => metadataUpdateErrors(served, object, old, context, rules)),
    ...content,
    ...(isPromise(own) ? await own : own),
    ...(isPromise(again) ? await again : again),
  ];
  refuse(served, object, withoutKnown(served, errors, old, context), context);
}

/** The refusal of a PUT without a version, for kinds that require one. It names the plural and not the kind. */
export function versionRequired(served: ServedResource, name: string, release: Release): StatusError {
  const error = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
  const body = error.body.replace('Invalid value: 0:', 'Invalid value: 0x0:');
  const { group, resource } = subjectOf(served);
  if (release.atLeast(37)) return invalid({ group, kind: resource }, name, [error]);
  return invalid({ group, kind: resource }, name, [{ ...error, body, text: `metadata.resourceVersion: ${body}` }]);
}
