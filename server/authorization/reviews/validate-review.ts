import { type FieldError, invalidValue } from '../../errors/field-error.ts';
import type { ObjectMeta } from '../../schema/api-object.ts';
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReviewSpec,
} from '../../schema/generated/authorization.v1.ts';

/** How clients know the value of a refused path. */
function pathError(field: string, { path = '', verb = '' }: NonResourceAttributes, detail: string): FieldError {
  const value = `authorization.NonResourceAttributes{Path:${JSON.stringify(path)}, Verb:${JSON.stringify(verb)}}`;
  const body = `Invalid value: ${value}: ${detail}`;
  return { type: 'FieldValueInvalid', field, body, text: `${field}: ${body}` };
}

/** A question is about a resource or about another path, and about one of the two. */
export function validateQuestion(spec: SelfSubjectAccessReviewSpec): FieldError[] {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (resource !== undefined && path !== undefined) {
    return [
      pathError('spec.nonResourceAttributes', path, 'cannot be specified in combination with resourceAttributes'),
    ];
  }
  if (resource !== undefined || path !== undefined) return [];
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue('spec.resourceAttributes', 'null', detail)];
}

/** {@link validateQuestion}, and somebody it is about. */
export function validateSubjectQuestion(spec: SubjectAccessReviewSpec): FieldError[] {
  const nobody = (spec.user ?? '') === '' && (spec.groups ?? []).length === 0;
  const detail = 'at least one of user or group must be specified';
  return [...validateQuestion(spec), ...(nobody ? [invalidValue('spec.user', '', detail)] : [])];
}

function present(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && value !== 0;
}

/** Reviews are questions: they have no metadata of their own. */
export function validateNoMetadata(metadata: ObjectMeta | undefined, detail = 'must be empty'): FieldError[] {
  const { namespace: _namespace, managedFields: _managedFields, ...own } = metadata ?? {};
  return Object.values(own).some(present) ? [invalidValue('metadata', metadata, detail)] : [];
}

/** A local review asks about its own namespace only. */
export function validateLocalReview({ metadata, spec }: LocalSubjectAccessReview, namespace: string): FieldError[] {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec ?? {};
  const field = 'spec.resourceAttributes.namespace';
  const elsewhere = resource !== undefined && (resource.namespace ?? '') !== namespace;
  return [
    ...validateSubjectQuestion(spec ?? {}),
    ...validateNoMetadata(metadata, 'must be empty except for namespace'),
    ...(elsewhere ? [invalidValue(field, resource.namespace ?? '', 'must match metadata.namespace')] : []),
    ...(path === undefined
      ? []
      : [pathError('spec.nonResourceAttributes', path, 'disallowed on this kind of request')]),
  ];
}
