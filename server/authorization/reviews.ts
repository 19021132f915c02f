import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import { badRequest, invalid } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '#schema/generated/authorization.v1.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import { type Attributes, resourceAttributes } from '../api/attributes.ts';
import type { MaybePromise } from '../api/maybe-promise.ts';
import type { UserInfo } from '../api/user-info.ts';
import { type Decision, joinErrors, type Rules } from './authorizer.ts';
import { checkSelectors, readFields, readLabels } from './selector-attributes.ts';

/** The decisions that reviews need, from `create-authorization`. */
export interface Reviewer {
  decide(attributes: Attributes): MaybePromise<Decision>;
  rules(user: UserInfo, namespace: string): Promise<Rules>;
}

/**
 * Answers a SubjectAccessReview, which asks about the rights of any user.
 *
 * @throws StatusError (422)
 */
export async function reviewSubjectAccess(
  reviewer: Reviewer,
  review: SubjectAccessReview,
  naming: Naming,
): Promise<SubjectAccessReview> {
  const spec = review.spec ?? {};
  refuseInvalid(
    [...checkSpec(spec), ...checkSubject(spec), ...checkSelected(spec), ...checkMetadata(review.metadata)],
    naming,
  );
  return { ...review, metadata: answered(review), spec, status: await status(reviewer, userOf(spec), spec) };
}

/**
 * Answers a LocalSubjectAccessReview, which asks about the rights of any user in the namespace of the path.
 *
 * @throws StatusError (422)
 */
export async function reviewLocalSubjectAccess(
  reviewer: Reviewer,
  review: LocalSubjectAccessReview,
  namespace: string,
  naming: Naming,
): Promise<LocalSubjectAccessReview> {
  const spec = review.spec ?? {};
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const errors = [...checkSpec(spec), ...checkSubject(spec), ...checkSelected(spec), ...checkMetadata(review.metadata)];
  if (resource && (resource.namespace ?? '') !== namespace)
    errors.push(
      invalidValue('spec.resourceAttributes.namespace', resource.namespace ?? '', 'must match metadata.namespace'),
    );
  if (path) errors.push(invalidPath(path, 'disallowed on this kind of request'));
  refuseInvalid(errors, naming);
  const metadata = { ...answered(review), namespace };
  return { ...review, metadata, spec, status: await status(reviewer, userOf(spec), spec) };
}

/**
 * Answers a SelfSubjectAccessReview, which asks about the rights of the caller.
 *
 * @throws StatusError (422)
 */
export async function reviewOwnAccess(
  reviewer: Reviewer,
  review: SelfSubjectAccessReview,
  user: UserInfo,
  naming: Naming,
): Promise<SelfSubjectAccessReview> {
  const spec = review.spec ?? {};
  refuseInvalid([...checkSpec(spec), ...checkSelected(spec), ...checkMetadata(review.metadata)], naming);
  return { ...review, metadata: answered(review), spec, status: await status(reviewer, user, spec) };
}

/**
 * Answers a SelfSubjectRulesReview, which asks for all rights of the caller in a namespace.
 *
 * @throws StatusError (400) without a namespace
 */
export async function reviewOwnRules(
  reviewer: Reviewer,
  review: SelfSubjectRulesReview,
  user: UserInfo,
): Promise<SelfSubjectRulesReview> {
  const namespace = review.spec?.namespace ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const { resourceRules, nonResourceRules, incomplete, errors } = await reviewer.rules(user, namespace);
  return {
    ...review,
    metadata: NO_METADATA,
    spec: {},
    status: {
      resourceRules: resourceRules.map(copyLists) as { verbs: string[] }[],
      nonResourceRules: nonResourceRules.map(copyLists) as { verbs: string[] }[],
      incomplete,
      ...(errors.length > 0 && { evaluationError: joinErrors(errors) }),
    },
  };
}

const NO_METADATA: ObjectMeta = { creationTimestamp: null };

/** The metadata of an answered review, with the managers of its fields. */
function answered({ metadata }: { metadata?: ObjectMeta }): ObjectMeta {
  const { managedFields } = metadata ?? {};
  return managedFields === undefined ? NO_METADATA : { ...NO_METADATA, managedFields };
}

function copyLists(rule: object): object {
  return Object.fromEntries(
    Object.entries(rule).map(([field, list]: [string, readonly string[]]) => [field, [...list]]),
  );
}

interface AboutSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

async function status(reviewer: Reviewer, user: UserInfo, spec: AboutSpec): Promise<SubjectAccessReviewStatus> {
  const { verdict, reason, error } = await reviewer.decide(attributesOf(user, spec));
  const problems = [...(error === undefined ? [] : [error]), ...unreadSelectors(spec)];
  return {
    allowed: verdict === 'allow',
    ...(verdict === 'deny' && { denied: true }),
    ...(reason !== '' && { reason }),
    ...(problems.length > 0 && { evaluationError: problems.join('; ') }),
  };
}

function attributesOf(user: UserInfo, spec: AboutSpec): Attributes {
  const { path = '', verb = '' } = spec.nonResourceAttributes ?? {};
  if (spec.resourceAttributes) return resourceAttributes(user, spec.resourceAttributes);
  return { ...resourceAttributes(user, { verb }), isResource: false, path };
}

function userOf({ user = '', uid = '', groups, extra }: SubjectAccessReviewSpec): UserInfo {
  const lists = Object.entries(extra ?? {}).map(([key, values]) => [key, values ?? []] as const);
  return { name: user, uid, groups: groups ?? [], extra: Object.fromEntries(lists) };
}

function checkSpec({ resourceAttributes: resource, nonResourceAttributes: path }: AboutSpec): FieldError[] {
  if (resource && path) return [invalidPath(path, 'cannot be specified in combination with resourceAttributes')];
  if (resource || path) return [];
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue('spec.resourceAttributes', 'null', detail)];
}

const ATTRIBUTES = new FieldPath('spec').child('resourceAttributes');

function checkSelected({ resourceAttributes }: AboutSpec): FieldError[] {
  return resourceAttributes ? checkSelectors(resourceAttributes, ATTRIBUTES) : [];
}

/** The error about selectors that could not be read, or only in part. */
function unreadSelectors({ resourceAttributes: about }: AboutSpec): string[] {
  const read = { fieldSelector: readFields(about?.fieldSelector), labelSelector: readLabels(about?.labelSelector) };
  return Object.entries(read).flatMap(([name, { requirements, failed }]) =>
    failed ? [`${ATTRIBUTES}.${name} ${requirements.length > 0 ? 'partially ' : ''}ignored due to parse error`] : [],
  );
}

function checkSubject({ user, groups }: SubjectAccessReviewSpec): FieldError[] {
  if (user || groups?.length) return [];
  return [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

/**
 * Checks the metadata of a review. A review is not stored, so it must have no name and no labels. Clients know the
 * namespace from the path.
 */
function checkMetadata(metadata: ObjectMeta | undefined): FieldError[] {
  const { namespace: _, managedFields: __, ...rest } = metadata ?? {};
  const filled = Object.values(rest).some((value) =>
    typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value),
  );
  return filled ? [invalidValue('metadata', rest, 'must be empty')] : [];
}

/** The error about a path. It shows the path in another form. */
function invalidPath({ path = '', verb = '' }: NonResourceAttributes, detail: string): FieldError {
  const field = 'spec.nonResourceAttributes';
  const value = `authorization.NonResourceAttributes{Path:${JSON.stringify(path)}, Verb:${JSON.stringify(verb)}}`;
  const body = `Invalid value: ${value}: ${detail}`;
  return { type: 'FieldValueInvalid', field, body, text: `${field}: ${body}` };
}

function refuseInvalid(errors: readonly FieldError[], naming: Naming): void {
  if (errors.length > 0) throw invalid({ group: naming.group('authorization'), kind: '' }, '', errors);
}
