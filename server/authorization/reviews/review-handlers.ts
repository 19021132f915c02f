import { admit } from '../../admission/admission.ts';
import type { FieldError } from '../../errors/field-error.ts';
import { badRequest, invalid } from '../../errors/status-error.ts';
import { object as objectAnswer } from '../../http/answer.ts';
import type { ResourceHandler } from '../../http/dispatch.ts';
import type { RequestContext, UserInfo } from '../../http/request-context.ts';
import type { SpecialHandlers } from '../../http/resource-handlers.ts';
import { decodeBody } from '../../registry/decode-body.ts';
import { expectedOf } from '../../registry/expected.ts';
import { ObjectContent } from '../../registry/object-content.ts';
import { matchNamespace } from '../../registry/object-meta.ts';
import type { Registry } from '../../registry/registry.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { writeOptions } from '../../registry/write-options.ts';
import type { ApiObject } from '../../schema/api-object.ts';
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '../../schema/generated/authorization.v1.ts';
import type { JsonObject } from '../../schema/json-value.ts';
import { type Attributes, resourceAttributes } from '../attributes.ts';
import { joinErrors } from '../authorizer.ts';
import type { Authorization } from '../create-authorization.ts';
import {
  validateLocalReview,
  validateNoMetadata,
  validateQuestion,
  validateSubjectQuestion,
} from './validate-review.ts';

/** Answers a decoded review: gives its spec and status. */
type Answerer<T extends ApiObject> = (review: T, context: RequestContext) => Promise<Pick<T, 'spec' | 'status'>>;

function asked(user: UserInfo, spec: SelfSubjectAccessReviewSpec): Attributes {
  const { resourceAttributes: about, nonResourceAttributes: other } = spec;
  const attributes = resourceAttributes(user, about ?? {});
  if (other === undefined) return attributes;
  return { ...attributes, isResource: false, path: other.path ?? '', verb: other.verb ?? '' };
}

function subjectOf({ user = '', uid = '', groups, extra }: SubjectAccessReviewSpec): UserInfo {
  return { name: user, uid, groups: groups ?? [], extra: extra ?? {} };
}

async function statusOf(authorization: Authorization, attributes: Attributes): Promise<SubjectAccessReviewStatus> {
  const { verdict, reason, error } = await authorization.decide(attributes);
  return {
    allowed: verdict === 'allow',
    ...(verdict === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(error === undefined ? {} : { evaluationError: error }),
  };
}

/** The endpoints that tell who may do what: POST to the four reviews. */
export function reviewHandlers(registry: Registry, authorization: Authorization): SpecialHandlers {
  const refuse = (served: ServedResource, errors: readonly FieldError[]): void => {
    if (errors.length > 0) throw invalid({ group: served.group, kind: '' }, '', errors);
  };

  const handler =
    <T extends ApiObject>(check: (served: ServedResource, review: T, namespace: string) => void, answer: Answerer<T>) =>
    async (served: ServedResource, context: RequestContext): ReturnType<ResourceHandler> => {
      const { namespace } = context.info;
      const options = writeOptions(context, 'CreateOptions', registry.naming);
      const review = (await decodeBody(registry, context, expectedOf(served), options.fieldValidation)) as T;
      matchNamespace(served, review, namespace);
      const request = {
        operation: 'CREATE' as const,
        served,
        subresource: '',
        namespace,
        name: '',
        oldObject: undefined,
      };
      const rest = { options: { kind: options.kind }, dryRun: options.dryRun, context };
      await admit(registry.admission, { ...request, ...rest, object: review });
      check(served, review, namespace);
      const { spec, status } = await answer(review, context);
      const metadata = { creationTimestamp: null, ...(namespace === '' ? {} : { namespace }) };
      const { kind, apiVersion } = review;
      const done = { kind, apiVersion, metadata, spec, status } as unknown as JsonObject;
      return objectAnswer(ObjectContent.ofResource(served, done), 201);
    };

  return new Map<string, ResourceHandler>([
    [
      'authorization/subjectaccessreviews',
      handler<SubjectAccessReview>(
        (served, { metadata, spec }) =>
          refuse(served, [...validateSubjectQuestion(spec ?? {}), ...validateNoMetadata(metadata)]),
        async ({ spec }) => ({ spec, status: await statusOf(authorization, asked(subjectOf(spec), spec)) }),
      ),
    ],
    [
      'authorization/localsubjectaccessreviews',
      handler<LocalSubjectAccessReview>(
        (served, review, namespace) => {
          if (namespace === '') throw badRequest('namespace is required on this type');
          refuse(served, validateLocalReview(review, namespace));
        },
        async ({ spec }) => ({ spec, status: await statusOf(authorization, asked(subjectOf(spec), spec)) }),
      ),
    ],
    [
      'authorization/selfsubjectaccessreviews',
      handler<SelfSubjectAccessReview>(
        (served, { metadata, spec }) =>
          refuse(served, [...validateQuestion(spec ?? {}), ...validateNoMetadata(metadata)]),
        async ({ spec }, { user }) => ({ spec, status: await statusOf(authorization, asked(user!, spec)) }),
      ),
    ],
    [
      'authorization/selfsubjectrulesreviews',
      handler<SelfSubjectRulesReview>(
        (_served, { spec }) => {
          if ((spec?.namespace ?? '') === '') throw badRequest('no namespace on request');
        },
        async ({ spec }, { user }) => {
          const rules = await authorization.rules(user!, spec.namespace!);
          const status = {
            resourceRules: rules.resourceRules,
            nonResourceRules: rules.nonResourceRules,
            incomplete: rules.incomplete,
            ...(rules.errors.length === 0 ? {} : { evaluationError: joinErrors(rules.errors) }),
          };
          return { spec: {}, status } as Pick<SelfSubjectRulesReview, 'spec' | 'status'>;
        },
      ),
    ],
  ]);
}
