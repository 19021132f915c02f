import type { Answer } from './answer.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { RequestContext } from './request-context.ts';
import type { UserInfo } from './user-info.ts';

/**
 * The user whom the headers of a request impersonate, if the caller has the right; undefined without such headers.
 *
 * @throws StatusError (400, 403)
 */
export type Impersonate = (context: RequestContext) => MaybePromise<UserInfo | undefined>;

/**
 * Authenticates a request.
 *
 * @throws StatusError (401 if the credentials are invalid, 503 if they cannot be checked)
 */
export type Authenticate = (context: RequestContext) => MaybePromise<UserInfo>;

/** Decides whether a request may continue. If not, it throws a 403, or returns the answer that ends the request. */
export type Authorize = (context: RequestContext) => MaybePromise<Answer | undefined>;

/** Answers requests. It is the end of the chain, or any part of the chain up to its end. */
export type Handler = (context: RequestContext) => MaybePromise<Answer>;

/**
 * One stage of the chain. It answers, throws a StatusError, or calls the rest of the chain (`next`). Most requests need
 * no wait in any stage, so a known result is returned without a promise.
 */
export type Filter = (context: RequestContext, next: Handler) => MaybePromise<Answer>;

/** Puts filters before a handler. The first filter is the outermost. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (context) => filter(context, next), handler);
}
