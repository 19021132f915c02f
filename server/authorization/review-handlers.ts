import { admit } from '../admission/admission.ts';
import { badRequest } from '../errors/status-error.ts';
import { object as objectAnswer } from '../http/answer.ts';
import type { ResourceHandler } from '../http/dispatch.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { SpecialHandlers } from '../http/resource-handlers.ts';
import { decodeBody } from '../registry/decode-body.ts';
import { expectedOf } from '../registry/expected.ts';
import { ObjectContent } from '../registry/object-content.ts';
import { matchNamespace } from '../registry/object-meta.ts';
import type { Registry } from '../registry/registry.ts';
import { writeOptions } from '../registry/write-options.ts';
import type { ApiObject } from '../schema/api-object.ts';
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from '../schema/generated/authorization.v1.ts';
import type { JsonObject } from '../schema/json-value.ts';
import { attributesOf } from './attributes.ts';
import {
  type Reviewer,
  reviewLocalSubjectAccess,
  reviewOwnAccess,
  reviewOwnRules,
  reviewSubjectAccess,
} from './reviews.ts';

type Answerer<T extends ApiObject> = (review: T, context: RequestContext) => Promise<ApiObject>;

/** The endpoints that tell who may do what: POST to the four reviews. */
export function reviewHandlers(registry: Registry, reviewer: Reviewer): SpecialHandlers {
  const { naming } = registry;
  const handler =
    <T extends ApiObject>(answer: Answerer<T>): ResourceHandler =>
    async (served, context) => {
      const { namespace } = context.info;
      const options = writeOptions(context, 'CreateOptions', naming);
      const review = (await decodeBody(registry, context, expectedOf(served), options.fieldValidation)) as T;
      matchNamespace(served, review, namespace);
      const request = { operation: 'CREATE' as const, served, subresource: '', namespace, name: '', context };
      const rest = { oldObject: undefined, options: { kind: options.kind }, dryRun: options.dryRun };
      await admit(registry.admission, { ...request, ...rest, object: review });
      const answered = (await answer(review, context)) as unknown as JsonObject;
      return objectAnswer(ObjectContent.ofResource(served, answered), 201);
    };
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
