import { badRequest } from '#base/errors/status-error.ts';
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from '#schema/generated/authorization.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { attributesOf } from '../api/attributes.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { ResourceHandler } from '../api/resource-handler.ts';
import type { SpecialHandlers } from '../resources/registration.ts';
import type { Registry } from '../resources/registry.ts';
import { answerCreate } from '../verbs/answer-create.ts';
import {
  type Reviewer,
  reviewLocalSubjectAccess,
  reviewOwnAccess,
  reviewOwnRules,
  reviewSubjectAccess,
} from './reviews.ts';

/** The endpoints that answer questions about rights: a POST to each of the four reviews. */
export function reviewHandlers(registry: Registry, reviewer: Reviewer): SpecialHandlers {
  const { naming } = registry;
  const handler = <T extends ApiObject>(answer: (review: T, context: RequestContext) => Promise<ApiObject>) =>
    answerCreate(registry, answer);
  const user = (context: RequestContext) => attributesOf(context).user;
  return new Map<string, ResourceHandler>([
    [
      'authorization/subjectaccessreviews',
      handler<SubjectAccessReview>((review) => reviewSubjectAccess(reviewer, review, naming)),
    ],
    [
      'authorization/localsubjectaccessreviews',
      handler<LocalSubjectAccessReview>((review, { info: { namespace } }) => {
        if (namespace === '') throw badRequest('namespace is required on this type');
        return reviewLocalSubjectAccess(reviewer, review, namespace, naming);
      }),
    ],
    [
      'authorization/selfsubjectaccessreviews',
      handler<SelfSubjectAccessReview>((review, context) => reviewOwnAccess(reviewer, review, user(context), naming)),
    ],
    [
      'authorization/selfsubjectrulesreviews',
      handler<SelfSubjectRulesReview>((review, context) => reviewOwnRules(reviewer, review, user(context))),
    ],
  ]);
}
