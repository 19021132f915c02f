import type { Answer } from './answer.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { RequestContext } from './request-context.ts';
import type { UserInfo } from './user-info.ts';

/**
 * The user whom the headers of a request impersonate, if the caller has the right; undefined without such headers.
 *
 * @throws 400 and 403
 */
export type Impersonate = (context: RequestContext) => MaybePromise<UserInfo | undefined>;

/**
 * Authenticates a request.
 *
 * @throws 401 if the credentials are invalid, 503 if they cannot be checked
 */
export type Authenticate = (context: RequestContext) => MaybePromise<UserInfo>;

/** Decides whether a request may continue: throws a 403 if not, or returns the answer that ends it. */
export type Authorize = (context: RequestContext) => MaybePromise<Answer | undefined>;

/** Answers requests: the end of the chain, or any part of the chain up to its end. */
export type Handler = (context: RequestContext) => MaybePromise<Answer>;

/**
 * One stage of the chain. It answers, throws a StatusError, or calls the rest of the chain (`next`). Most requests wait
 * in no stage, so a known result is returned without a promise.
 */
export type Filter = (context: RequestContext, next: Handler) => MaybePromise<Answer>;

/** Puts filters in front of a handler, the first one outermost. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (context) => filter(context, next), handler);
}
