import { invalidValue } from '#base/errors/field-error.ts';
import { conflict, invalid, notFound, pathNotFound } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { SelfSubjectReview, TokenRequest, TokenReview } from '#schema/generated/authentication.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { attributesOf } from '../api/attributes.ts';
import type { RequestContext } from '../api/request-context.ts';
import { storedObject } from '../resources/built-in-reading.ts';
import { modelOf } from '../resources/message-model.ts';
import type { SpecialHandlers } from '../resources/registration.ts';
import type { Registry } from '../resources/registry.ts';
import { answerCreate } from '../verbs/answer-create.ts';
import { timestamp } from '../verbs/object-meta.ts';
import type { CreatedAuthentication } from './create-authentication.ts';
import { defaultTokenRequest } from './token-issuer.ts';
import { reviewToken, shownUser } from './token-review.ts';

const TOKEN = 'core/serviceaccounts/token';

/** Throws 422 if the request names another service account than its path. */
function checkName({ metadata }: TokenRequest, name: string, group: string): void {
  const given = metadata.name ?? '';
  if (given === '' || given === name) return;
  const detail = 'must match the service account name if specified';
  throw invalid({ group, kind: 'TokenRequest' }, name, [invalidValue('metadata.name', given, detail)]);
}

/**
 * Sets the uid of the account in a request.
 *
 * @throws StatusError (409) if it has another uid
 */
function nameUid(request: TokenRequest, { metadata: { name = '', uid = '' } }: ApiObject, naming: Naming): void {
  const given = request.metadata.uid ?? '';
  if (given !== '' && given !== uid)
    throw conflict(
      { group: naming.group('authentication'), resource: 'TokenRequest' },
      name,
      `the UID in the token request (${given}) does not match the UID of the service account (${uid})`,
    );
  request.metadata = { ...request.metadata, uid };
}

/**
 * Answers with the user of the request, after impersonation. The answer contains nothing from the body of the request.
 */
function reviewOfCaller(
  naming: Naming,
): (review: SelfSubjectReview, context: RequestContext) => Promise<SelfSubjectReview> {
  return async (_, context) => ({
    apiVersion: naming.apiVersion('authentication', 'v1'),
    kind: 'SelfSubjectReview',
    metadata: { creationTimestamp: timestamp() },
    status: { userInfo: shownUser(attributesOf(context).user) },
  });
}

/** The endpoints for tokens: reviews, and the `token` subresource of service accounts if this server signs tokens. */
export function tokenHandlers(registry: Registry, authentication: CreatedAuthentication): SpecialHandlers {
  const { naming } = registry;
  const { issueToken } = authentication;
  const review = answerCreate<TokenReview>(registry, (asked) => reviewToken(authentication, asked, naming));
  const handlers = new Map([
    ['authentication/tokenreviews', review],
    ['authentication/selfsubjectreviews', answerCreate<SelfSubjectReview>(registry, reviewOfCaller(naming))],
  ]);
  if (issueToken === undefined) return handlers.set(TOKEN, async () => Promise.reject(pathNotFound()));
  const accounts = registry.stored('', 'serviceaccounts');
  const accountOf = ({ info }: RequestContext): ApiObject => {
    const item = accounts.cache.get(`${info.namespace}/${info.name}`);
    if (item === undefined) throw notFound({ group: '', resource: 'serviceaccounts' }, info.name);
    return storedObject(registry, accounts, item);
  };
  const issue = async (request: TokenRequest, context: RequestContext): Promise<TokenRequest> => {
    await registry.cache.fresh();
    return issueToken(accountOf(context), request, (text) => context.warnings.add(text));
  };
  const prepare = async (request: TokenRequest, context: RequestContext): Promise<void> => {
    const { namespace, name } = context.info;
    await registry.cache.fresh();
    const account = accountOf(context);
    checkName(request, name, naming.group('authentication'));
    request.metadata = { ...request.metadata, name, namespace, creationTimestamp: timestamp() };
    if (registry.gates.enabled('TokenRequestServiceAccountUIDValidation')) nameUid(request, account, naming);
    const audiences = request.spec?.audiences?.length ? request.spec.audiences : [...authentication.audiences];
    request.spec = { ...request.spec, audiences };
  };
  return handlers.set(
    TOKEN,
    answerCreate<TokenRequest>(registry, issue, {
      kind: 'TokenRequest',
      apiVersion: naming.apiVersion('authentication', 'v1'),
      model: modelOf(registry.schema.message('authentication.v1.TokenRequest')),
      defaults: defaultTokenRequest,
      prepare,
    }),
  );
}
